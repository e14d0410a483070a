/** The units in which InfluxDB's clients count time. */

/** Those of version 1, of version 2, and three ways to write micro. */
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
