/** Places of which each name has so many; who comes when all are taken waits, first come, first served. */
export function createPlaces(each: number) {
  const taken = new Map<string, { count: number; waiting: (() => void)[] }>();
  return {
    /** Resolves with a place; call what it gives to leave it. */
    async take(name: string): Promise<() => void> {
      const here = taken.get(name) ?? { count: 0, waiting: [] };
      taken.set(name, here);
      if (here.count >= each)
        await new Promise<void>((resolve) => {
          here.waiting.push(resolve); // handed over: the count stays
        });
      else here.count += 1;
      return () => {
        const next = here.waiting.shift();
        if (next) next();
        else if ((here.count -= 1) === 0) taken.delete(name);
      };
    },
  };
}
