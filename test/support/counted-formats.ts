/** The number of formats of times that `work` makes. */
export function countedFormats(work: () => void): number {
  const { DateTimeFormat } = Intl;
  let count = 0;
  Intl.DateTimeFormat = new Proxy(DateTimeFormat, {
    construct: (made, args: ConstructorParameters<typeof DateTimeFormat>) => {
      count++;
      return new made(...args);
    },
  });
  try {
    work();
    return count;
  } finally {
    Intl.DateTimeFormat = DateTimeFormat;
  }
}
