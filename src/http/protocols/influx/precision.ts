/** The time units of InfluxDB's clients. */

/** Units of versions 1 and 2, and three notations of microseconds. */
const units = {
  n: 'ns',
  ns: 'ns',
  u: 'us',
  us: 'us',
  µ: 'us',
  ms: 'ms',
  s: 's',
  m: 'm',
  h: 'h',
} as const;

export type PrecisionWord = keyof typeof units;

export const precisionWords = Object.keys(units) as readonly PrecisionWord[];

export function unitOfPrecision(word: PrecisionWord): (typeof units)[PrecisionWord] {
  return units[word];
}
