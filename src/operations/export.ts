/**
 * Samples as text that ingest takes back, a metric after the other, series by id and then by time.
 * The addon prints them; what is held is a piece of some 256 KiB.
 */

import { exportedMetrics, type ExportedMetric } from '../model/exported-metric.js';
import { findMetrics, metricsHealth, seriesFilter } from './discovery.js';
import { formOf, type ExportFormat, type SampleForm } from './export-form.js';
import { textOf } from './stream-text.js';

import type { LabelPairs } from '../model/selector.js';
import type { TimeRange } from '../model/time-range.js';
import type { TimestampUnit } from '../model/timestamp-unit.js';
import type { BatchStream, ByteStream, SeriesStore, TextPiece } from '../storage/storage.js';

export interface ExportQuestion {
  readonly range: TimeRange;
  readonly format: ExportFormat;
  /** Counts before `prefix`; without either all metrics. */
  readonly metric: string | undefined;
  readonly prefix: string | undefined;
  /** That a series has, beside others. */
  readonly labels: LabelPairs | undefined;
}

interface ExportShape {
  readonly unit: TimestampUnit;
  readonly noteLeftOut: (count: number) => void;
}

/** Values that are not finite are left out and noted, since no line can say them. */
export function openExport(
  store: SeriesStore,
  asked: ExportQuestion,
  { unit, noteLeftOut }: ExportShape,
): ByteStream {
  let open: BatchStream<TextPiece> | null = null;
  let isClosed = false;

  async function* piecesOf(metric: ExportedMetric, form: SampleForm): AsyncGenerator<Uint8Array> {
    const { start, end } = asked.range;
    const series = seriesFilter({ ...asked, metric: metric.name });
    const of = { answer: 'columns', series, ranges: BigInt64Array.of(start, end) } as const;
    const texts = store.openTexts({ of, ...form.layoutOf(metric) });
    open = texts;
    let print = form.printFirst;
    try {
      for (let piece = await texts.next(); piece !== null; piece = await texts.next()) {
        if (piece.leftOutCount > 0) noteLeftOut(piece.leftOutCount);
        if (piece.rowCount === 0) continue;
        yield print(metric, piece.text);
        print = (_, text) => text;
      }
    } finally {
      // What it pins of the index is not held until it is collected.
      texts.close();
    }
  }

  async function* pieces(): AsyncGenerator<Uint8Array> {
    const metrics = await metricsOf(store, asked);
    const form = formOf(asked.format, unit, metrics);
    if (form.head !== '') yield Buffer.from(form.head);
    for (const metric of metrics) {
      if (isClosed) return;
      yield* piecesOf(metric, form);
    }
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

/** Those that are there when it is asked. */
async function metricsOf(
  store: SeriesStore,
  { metric, prefix, labels }: ExportQuestion,
): Promise<readonly ExportedMetric[]> {
  const filter = { metric, prefix, labels, limit: undefined };
  const health = await listOf(metricsHealth(store, { ...filter, inactiveBefore: undefined }));
  const found = await listOf(findMetrics(store, filter));
  return exportedMetrics(
    found as Parameters<typeof exportedMetrics>[0],
    health as Parameters<typeof exportedMetrics>[1],
  );
}

async function listOf(stream: ByteStream): Promise<unknown> {
  return JSON.parse(await textOf(stream));
}
