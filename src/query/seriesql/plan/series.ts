/** A series, as expressions see it. */

import { noteTextWork } from '../../limits/text-work.js';

/** One series that a query reads. */
export interface SeriesInfo {
  readonly id: bigint;
  readonly name: string;
  /** Sorted by key, bytewise. */
  readonly labels: readonly (readonly [string, string])[];
  /** Of its metric; a metric whose kind was never given is a gauge. */
  readonly kind: 'gauge' | 'counter';
}

/** Null where the series lacks the label. */
export function labelOf(series: SeriesInfo, key: string): string | null {
  for (const [name, value] of series.labels) if (name === key) return value;
  return null;
}

/** The canonical JSON text of the labels, as it stands in the identity of a series. */
/** To quote a text takes some units of work for each of its own. */
const kWorkPerUnit = 4;

export function labelsText(series: SeriesInfo): string {
  const pairs = series.labels.map(
    ([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`,
  );
  const text = `{${pairs.join(',')}}`;
  noteTextWork(text.length * kWorkPerUnit);
  return text;
}
