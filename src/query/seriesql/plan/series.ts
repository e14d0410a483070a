/** A series as expressions see it. */

import { noteTextWork } from '../../limits/text-work.js';

/** A series that a query reads. */
export interface SeriesInfo {
  readonly id: bigint;
  readonly name: string;
  /** Sorted by key, in byte order. */
  readonly labels: readonly (readonly [string, string])[];
  /** The kind of its metric. The default is a gauge. */
  readonly kind: 'gauge' | 'counter';
}

/** Null if the series lacks the label. */
export function labelOf(series: SeriesInfo, key: string): string | null {
  for (const [name, value] of series.labels) if (name === key) return value;
  return null;
}

/** Units of text work per character, for quoting. */
const kWorkPerUnit = 4;

/** The canonical JSON text of the labels, as in the identity of a series. */
export function labelsText(series: SeriesInfo): string {
  const pairs = series.labels.map(
    ([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`,
  );
  const text = `{${pairs.join(',')}}`;
  noteTextWork(text.length * kWorkPerUnit);
  return text;
}
