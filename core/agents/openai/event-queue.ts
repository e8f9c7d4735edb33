/** Hands items to one consumer, in order. After `end`, `fail` or `cut` nothing more is taken. */
export interface EventQueue<T extends object> extends AsyncIterable<T> {
  push: (item: T) => void;
  end: () => void;
  /** What was pushed before is still delivered, then this is thrown. */
  fail(error: Error): void;
  /** As `fail`, but at once: what still waits is dropped, and an end not yet reached is replaced. */
  cut(error: Error): void;
}

export function createEventQueue<T extends object>(): EventQueue<T> {
  const items: T[] = [];
  let closed: { error: Error | null } | null = null;
  let wake = () => {};

  function close(error: Error | null): void {
    closed ??= { error };
    wake();
  }

  return {
    push(item) {
      if (closed) return;
      items.push(item);
      wake();
    },
    end: () => {
      close(null);
    },
    fail: close,
    cut(error) {
      items.length = 0;
      closed = { error };
      wake();
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const next = items.shift();
        if (next) {
          yield next;
          continue;
        }
        if (closed?.error) throw closed.error;
        if (closed) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
