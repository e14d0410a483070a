/** The units a timestamp can be counted in. */

export const timestampUnits = ['s', 'ms', 'us', 'ns'] as const;

export type TimestampUnit = (typeof timestampUnits)[number];

export function isTimestampUnit(text: string): text is TimestampUnit {
  return (timestampUnits as readonly string[]).includes(text);
}
