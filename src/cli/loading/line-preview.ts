/** The first rows of line protocol, as the addon reads them. */

import { previewRowsMax, previewRowsOf, type PreviewRow } from '../../common/tables/preview-row.js';
import { linesOf, readPieces, type Directories } from '../session/directories.js';

import { lineBatches } from './line-batches.js';
import { quotedEnds } from './line-ends.js';

import type { TimestampUnit } from '../../common/model/timestamp-unit.js';
import type { LineProtocolForm } from './input.js';

/** The bytes that are read at once. */
const previewedSize = 64 * 1024;
const start = { offset: 0, line: 0 };

interface PreviewOptions {
  readonly form: LineProtocolForm;
  /** The unit of the times; `form.at` has it too. */
  readonly unit: TimestampUnit;
  readonly openPreview: Directories['openPreview'];
  readonly signal: AbortSignal;
}

/** The samples of a line are a row; bad lines have none. */
export async function previewOfLines(
  bytes: AsyncIterable<Buffer>,
  { form, unit, openPreview, signal }: PreviewOptions,
): Promise<readonly PreviewRow[]> {
  const rules = { bytes: previewedSize, lines: Number.POSITIVE_INFINITY, ends: quotedEnds };
  const rows: PreviewRow[] = [];
  for await (const { bytes: body } of lineBatches(bytes, start, rules)) {
    const pieces = readPieces(openPreview({ ...form, body, unit }), signal);
    for await (const line of linesOf(pieces)) {
      for (const sample of previewRowsOf(line, unit)) addSample(rows, sample);
      if (rows.length > previewRowsMax) return rows.slice(0, previewRowsMax);
    }
  }
  return rows;
}

/** Joins the sample to the last row if both have the same labels and time. */
function addSample(rows: PreviewRow[], sample: PreviewRow): void {
  const last = rows.at(-1);
  const isOfLast = last?.series === sample.series && last.time === sample.time;
  if (isOfLast) rows[rows.length - 1] = { ...last, samples: `${last.samples} ${sample.samples}` };
  else rows.push(sample);
}
