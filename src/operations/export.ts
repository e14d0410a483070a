/**
 * Exports samples as text that ingest accepts, metric by metric, then by series id and time. The
 * addon prints them. At most one piece of about 256 KiB is in memory.
 */

import { formOf, type ExportFormat, type SampleForm } from './export-form.js';
import {
  filterOf,
  selectMetrics,
  type ExportSelection,
  type SelectedMetric,
} from './export-selection.js';

import type { TimeRange } from '../common/model/time-range.js';
import type { TimestampUnit } from '../common/model/timestamp-unit.js';
import type { Guard } from '../query/limits/guard.js';
import type { BatchStream, ByteStream, SeriesStore, TextPiece } from '../storage/storage.js';

export interface ExportQuestion extends ExportSelection {
  readonly range: TimeRange;
  readonly format: ExportFormat;
  /** True: a last line has the counts. Only for lines. */
  readonly hasTotals: boolean;
}

interface ExportShape {
  readonly unit: TimestampUnit;
  readonly noteLeftOut: (count: number) => void;
  /** Limits of the selectors. */
  readonly guard: Guard;
}

/** Omits and counts values that are not finite, because JSON cannot express them. */
export function openExport(
  store: SeriesStore,
  asked: ExportQuestion,
  { unit, noteLeftOut, guard }: ExportShape,
): ByteStream {
  let open: BatchStream<TextPiece> | null = null;
  let isClosed = false;
  let sampleCount = 0;
  let leftOutCount = 0;

  async function* piecesOf(one: SelectedMetric, form: SampleForm): AsyncGenerator<Uint8Array> {
    const { start, end } = asked.range;
    const { metric } = one;
    const series = await filterOf(store, one);
    const of = { answer: 'columns', series, ranges: BigInt64Array.of(start, end) } as const;
    const texts = store.openTexts({ of, ...form.layoutOf(metric) });
    open = texts;
    let print = form.printFirst;
    try {
      for (let piece = await texts.next(); piece !== null; piece = await texts.next()) {
        if (piece.leftOutCount > 0) noteLeftOut(piece.leftOutCount);
        sampleCount += piece.rowCount;
        leftOutCount += piece.leftOutCount;
        if (piece.rowCount === 0) continue;
        yield print(metric, piece.text);
        print = (_, text) => text;
      }
    } finally {
      // Close now, so that the pinned index is not held until garbage collection.
      texts.close();
    }
  }

  async function* pieces(): AsyncGenerator<Uint8Array> {
    const selected = await selectMetrics(store, asked, guard);
    const metrics = selected.map(({ metric }) => metric);
    const form = formOf(asked.format, unit, metrics);
    if (form.head !== '') yield Buffer.from(form.head);
    for (const one of selected) {
      if (isClosed) return;
      yield* piecesOf(one, form);
    }
    if (asked.hasTotals) yield Buffer.from(totalsLine(sampleCount, leftOutCount));
  }

  const made = pieces();
  return {
    next: async () => {
      const step = await made.next();
      return step.done === true ? null : step.value;
    },
    close: () => {
      isClosed = true;
      open?.close();
    },
  };
}

function totalsLine(samples: number, leftOut: number): string {
  return `${JSON.stringify({ samples, left_out: leftOut })}\n`;
}
