/** A line as the preview of a load shows it. */

import { printTime } from '../model/iso-time.js';
import { beginningOf, visible } from '../model/visible-text.js';

import type { TimestampUnit } from '../model/timestamp-unit.js';

export interface PreviewRow {
  /** ISO 8601, or a number if its unit is unknown. */
  readonly time: string | number;
  readonly series: string;
  readonly samples: string;
}

/** The most rows of a file in a preview. */
export const previewRowsMax = 5;

/** A line in the form of an ingest request. */
interface PreviewLine {
  readonly metric?: string;
  readonly series?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly tags?: Readonly<Record<string, string>>;
  readonly ts?: number | string;
  readonly value?: number;
  readonly fields?: Readonly<Record<string, number>>;
}

/** An empty line gives no row. `unit` is the unit of the times; null means unknown. */
export function previewRowsOf(text: string, unit: TimestampUnit | null): readonly PreviewRow[] {
  if (text.trim() === '') return [];
  try {
    const line = JSON.parse(text) as PreviewLine;
    const { ts, value } = line;
    const name = line.metric ?? line.series ?? '';
    const labels = Object.entries(line.labels ?? line.tags ?? {});
    const samples = [
      ...(value === undefined ? [] : [`${name}=${String(value)}`]),
      ...Object.entries(line.fields ?? {}).map(([key, one]) => `${name}.${key}=${String(one)}`),
    ];
    const isCounted = unit === null || typeof ts !== 'number' || !Number.isSafeInteger(ts);
    const time = isCounted ? (ts ?? 'now') : printTime(BigInt(ts), unit);
    const series = labels.map(([key, one]) => `${key}=${JSON.stringify(one)}`).join(',');
    return [{ time, series: `{${series}}`, samples: samples.join(' ') }];
  } catch {
    return [{ time: '', series: '', samples: `refused: ${visible(beginningOf(text, 100))}` }];
  }
}
