/** A line as a person sees it before it is stored. */

import { printTime } from '../model/iso-time.js';
import { visible } from '../model/visible-text.js';

import type { TimestampUnit } from '../model/timestamp-unit.js';

export interface PreviewRow {
  /** ISO 8601, or a number that counts in a unit that nobody knows. */
  readonly time: string | number;
  readonly series: string;
  readonly samples: string;
}

/** So many rows of a file are shown. */
export const previewRowsMax = 5;

/** A line as it goes to a server. */
interface Line {
  readonly metric?: string;
  readonly series?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly tags?: Readonly<Record<string, string>>;
  readonly ts?: number | string;
  readonly value?: number;
  readonly fields?: Readonly<Record<string, number>>;
}

/** No row of a line that is empty. `unit` is that of its times; null: nobody knows it. */
export function previewRowsOf(text: string, unit: TimestampUnit | null): readonly PreviewRow[] {
  if (text.trim() === '') return [];
  try {
    const line = JSON.parse(text) as Line;
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
    return [{ time: '', series: '', samples: `refused: ${visible(text.slice(0, 100))}` }];
  }
}
