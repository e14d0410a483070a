/** Common parameters and answers of our own ingest routes. */

import { unitWarning } from '../../common/model/time-magnitude.js';
import * as json from '../fields/json-schema.js';
import { defaultsTo, parameter } from '../fields/query-schema.js';

import type { QueryField } from '../fields/query-schema.js';

type ErrorWish = 'skip' | 'fail';

interface StoredReport {
  readonly ingested: number;
  readonly rejected: number;
  readonly errors: readonly object[];
  readonly skipped: readonly { readonly count: number }[];
  readonly suspect?: { readonly ts: bigint; readonly unit: string };
}

interface RejectedLines {
  readonly rejected: number;
  readonly lines: number;
  readonly errors: readonly { readonly error: string }[];
}

export const onError: QueryField<ErrorWish> & { readonly fallback: ErrorWish } = defaultsTo(
  parameter.choice(['skip', 'fail'], '`skip` stores the good lines and reports the bad ones.'),
  'fail',
);

/** Settings that limit the samples of one request. */
export const storingLimits: readonly string[] = [
  'max_line_bytes',
  'max_future_skew',
  'max_series',
  'max_series_per_metric',
  'memory_limit_bytes',
];

export const ingestReport = json.named(
  'IngestReport',
  json.object(
    {
      ingested: json.said(json.count, 'Samples stored: a line with three fields counts three.'),
      rejected: json.said(json.count, 'Rejected lines; only with `on_error=skip`.'),
      errors: json.said(
        json.listOf(json.object({ line: json.count, code: json.text, error: json.text })),
        'The first ten rejected lines. Lines count from 1.',
      ),
      skipped: json.said(
        json.count,
        'Fields of stored lines that were left out, because they are not numbers; absent if there are none.',
      ),
      warnings: json.said(
        json.listOf(json.text),
        'Warnings about stored samples, such as a time unit that seems wrong; absent if there are none.',
      ),
    },
    ['rejected', 'errors', 'skipped', 'warnings'],
  ),
);

/** What foreign clients are told of bad lines; null if there are none. */
export function rejectedLines({ rejected, lines, errors: [first] }: RejectedLines): string | null {
  if (rejected === 0) return null;
  return `${rejected} of ${lines} lines rejected: ${first?.error ?? 'unknown'}`;
}

/** `wish` is the request's `on_error`. */
export function printReport(report: StoredReport, wish: ErrorWish): string {
  const { ingested, rejected, errors, suspect } = report;
  const skipped = report.skipped.reduce((sum, { count }) => sum + count, 0);
  const doubts = suspect === undefined ? {} : { warnings: [unitWarning(suspect)] };
  const bad = wish === 'fail' ? {} : { rejected, errors };
  const left = skipped === 0 ? {} : { skipped };
  return JSON.stringify({ ingested, ...bad, ...left, ...doubts });
}
