/** Helpers for queries in all languages. */
import type { Draw } from '../query/draw.js';

export const kMinuteMs = 60_000;

/** The only metric of questions about one metric. */
export const firstMetric = ({ metrics: [name = ''] }: Draw): string => name;

export const quoted = (names: readonly string[]): string =>
  names.map((name) => `'${name}'`).join(', ');
