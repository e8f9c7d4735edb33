/** `Plan` → `Plan (2)`, `Plan (2)` → `Plan (3)`: the next free name for a copy. Gives up after a thousand: then null. */
export function nextTitle(title: string, isTaken: (title: string) => boolean): string | null {
  const [, stem = title, number = "1"] = /^(.*?)(?: \((\d{1,6})\))?$/su.exec(title) ?? [];
  for (let n = Number(number) + 1; n <= Number(number) + 1_000; n += 1) {
    const candidate = `${stem} (${n})`;
    if (!isTaken(candidate)) return candidate;
  }
  return null;
}
