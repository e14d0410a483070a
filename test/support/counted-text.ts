/** A text that counts how many of its characters are read. */

/** The number of characters that a call of a string method read, derived from its result. */
function lookedAt(size: number, method: string, args: readonly unknown[], result: unknown): number {
  if (method === 'slice' && typeof result === 'string') return result.length;
  if (method !== 'indexOf') return 1;
  const end = typeof result === 'number' && result >= 0 ? result : size;
  return end - Number(args[1] ?? 0);
}

export interface CountedText {
  /** Used like a string, though it is not one. */
  readonly text: string;
  readonly looks: number;
}

export function countedText(plain: string): CountedText {
  const counted = { looks: 0 };
  const text = new Proxy(Object(plain) as object, {
    get(_target, key): unknown {
      const member: unknown = Reflect.get(Object(plain) as object, key, plain);
      if (typeof member !== 'function') {
        if (key !== 'length') counted.looks += 1;
        return member;
      }
      return (...args: readonly unknown[]): unknown => {
        const result: unknown = Reflect.apply(member, plain, args);
        counted.looks += lookedAt(plain.length, String(key), args, result);
        return result;
      };
    },
  }) as unknown as string;
  return {
    text,
    get looks() {
      return counted.looks;
    },
  };
}
