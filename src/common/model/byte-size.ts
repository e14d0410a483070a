/** Byte sizes: `65536`, `64KiB`, `128MiB`, `1GiB` in settings, and `1.44 MiB` for display. */

const unitBytes: Readonly<Record<string, number>> = {
  '': 1,
  B: 1,
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
};

/** Bytes, or null when `text` is not a size. */
export function parseByteSize(text: string): number | null {
  const match = /^([0-9]{1,15}) ?(|B|KiB|MiB|GiB)$/.exec(text);
  const factor = unitBytes[match?.[2] ?? ''];
  if (match === null || factor === undefined) return null;
  const size = Number(match[1]) * factor;
  return Number.isSafeInteger(size) ? size : null;
}

const shownUnits = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const;

/** Prints three digits in the unit with the fewest integer digits: `1.44 MiB`. */
export function printByteSize(bytes: number): string {
  const order = bytes < 1 ? 0 : Math.floor(Math.log2(bytes) / 10);
  const unit = Math.min(order, shownUnits.length - 1);
  const size = bytes / 1024 ** unit;
  const text = size >= 1000 ? size.toFixed(0) : String(Number(size.toPrecision(3)));
  return `${text} ${shownUnits[unit] ?? 'B'}`;
}
