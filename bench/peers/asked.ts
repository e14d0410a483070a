/** What all languages need of a draw. */
import type { Draw } from '../query/draw.js';

export const kMinuteMs = 60_000;

/** Of those that ask of one. */
export const firstMetric = ({ metrics: [name = ''] }: Draw): string => name;

export const quoted = (names: readonly string[]): string =>
  names.map((name) => `'${name}'`).join(', ');
