/** Sizes as written in settings: `65536`, `64KiB`, `128MiB`, `1GiB`. */

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
