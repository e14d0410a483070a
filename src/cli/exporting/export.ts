/** `seriesdb export`: writes samples as lines or as a table, to standard output or a file. */

import { SeriesDbError } from '../../client/client.js';
import { exportedMetrics, type ExportedMetric } from '../../common/model/exported-metric.js';
import { parsePastState } from '../../common/model/past-state.js';
import { kFirstTime, kLastTime, type TimestampUnit } from '../../common/model/timestamp-unit.js';
import { labelsOf, timeFlag } from '../session/arguments.js';
import { textFlag, withUnit, type ClientContext, type Flags } from '../session/client-context.js';
import { CommandFailure, exitCodes, UsageFailure } from '../session/failure.js';
import { Meter } from '../session/meter.js';
import { holdNotes, tellState, type HeldNotes } from '../session/told-notes.js';
import { formatOfName, tableFormats, type TableFormat } from '../tabular/table-format.js';

import { CsvForm } from './csv-form.js';
import { exportedLines, lineCount } from './exported-lines.js';
import { openOutput } from './output-file.js';
import { RunReader } from './sample-runs.js';

import type { ReadableDirectory } from '../session/directories.js';
import type { ExportRange, ExportSource } from '../session/directories.js';
import type { ExportForm } from './export-form.js';

/** The limit of list requests: no list is longer. */
const kAll = 1_000_000_000;

/** The source of the samples, and its timestamp unit. */
interface ExportContext extends Pick<ClientContext, 'terminal' | 'isJson' | 'signal'> {
  readonly unit: TimestampUnit;
  readonly source: ExportSource;
}

export async function exportServer(context: ClientContext, flags: Flags): Promise<number> {
  const { unit } = await withUnit(context);
  const asked = textFlag(flags, 'asOf');
  if (asked !== undefined) await checkKnowsStates(context);
  const asOf = asked === undefined ? undefined : fixedState(asked, unit);
  const notes = holdNotes();
  const source = sourceOf(context, asOf, notes);
  const code = await exportDatabase({ ...context, unit, source }, flags);
  notes.tell(context, asked);
  return code;
}

export async function exportDirectory(
  context: ClientContext,
  opened: ReadableDirectory,
  flags: Flags,
): Promise<number> {
  try {
    const { unit, source, note } = opened;
    const code = await exportDatabase({ ...context, unit, source }, flags);
    if (note !== '') tellState(context.terminal, textFlag(flags, 'asOf') ?? '', note);
    return code;
  } finally {
    await opened.close();
  }
}

/** The selection and the format. */
interface ExportOrder {
  readonly range: ExportRange;
  readonly format: TableFormat;
}

/** Resolves with the exit code: skipped if samples were omitted. */
async function exportDatabase(context: ExportContext, flags: Flags): Promise<number> {
  const output = textFlag(flags, 'output');
  if (output !== undefined && /\.gz$/i.test(output)) {
    throw new UsageFailure(`${output} would not be compressed; leave out the ".gz"`);
  }
  const order = { range: rangeOf(context, flags), format: formatOf(flags, output) };
  if (order.format === 'parquet' && output === undefined) {
    throw new UsageFailure('Parquet is binary; name a file by --output');
  }
  const sums =
    output === undefined ? await toOutput(context, order) : await toFile(context, order, output);
  const { terminal, isJson } = context;
  if (isJson) terminal.writeError(`${JSON.stringify(sums)}\n`);
  else terminal.note(`seriesdb: ${sums.samples.toLocaleString('en')} samples\n`);
  for (const [count, what] of [
    [sums.left, 'values are not finite and were omitted'],
    [sums.late, 'samples were omitted: their series got new labels during the export'],
  ] as const) {
    if (count > 0 && !isJson) terminal.writeError(`seriesdb: ${String(count)} ${what}\n`);
  }
  return sums.left + sums.late === 0 ? exitCodes.ok : exitCodes.skipped;
}

function rangeOf(context: ExportContext, flags: Flags): ExportRange {
  return {
    prefix: textFlag(flags, 'prefix') ?? '',
    labels: labelsOf(flags) ?? {},
    start: timeFlag(context, flags, { flag: '--start', name: 'start', fallback: kFirstTime }),
    end: timeFlag(context, flags, { flag: '--end', name: 'end', fallback: kLastTime }),
  };
}

/** By --format, or by the extension of the file. */
function formatOf(flags: Flags, output = ''): TableFormat {
  const wanted = textFlag(flags, 'format');
  return tableFormats.find((format) => format === wanted) ?? formatOfName(output) ?? 'ndjson';
}

interface Sums {
  readonly samples: number;
  readonly left: number;
  readonly late: number;
}

function toOutput(context: ExportContext, order: ExportOrder): Promise<Sums> {
  const { terminal } = context;
  return writeAll(context, order, {
    screen: null,
    write: async (piece) => {
      if (piece.length === 0) return;
      terminal.write(typeof piece === 'string' ? piece : Buffer.from(piece).toString());
      await terminal.drained();
    },
  });
}

async function toFile(context: ExportContext, order: ExportOrder, name: string): Promise<Sums> {
  const file = await openOutput(name);
  try {
    const write = async (piece: string | Uint8Array): Promise<void> => {
      if (piece.length > 0) await file.write(piece);
    };
    const sums = await writeAll(context, order, { screen: context.terminal.screen(), write });
    await file.finish();
    return sums;
  } catch (error) {
    await file.discard();
    throw error;
  }
}

interface Sink {
  readonly screen: NodeJS.WritableStream | null;
  readonly write: (piece: string | Uint8Array) => Promise<void>;
}

async function writeAll(context: ExportContext, order: ExportOrder, sink: Sink): Promise<Sums> {
  const { source, signal, unit } = context;
  const meter = new Meter({ screen: sink.screen, title: 'export', total: null });
  try {
    const form = await formFor(order, source, unit);
    await sink.write(form.begin());
    const lines = exportedLines(source.openLines(order.range, signal));
    let count = 0;
    let step = await lines.next();
    for (; step.done !== true; step = await lines.next()) {
      signal.throwIfAborted();
      await sink.write(form.translate(step.value));
      if (sink.screen === null) continue;
      count += lineCount(step.value);
      meter.show(count, count);
    }
    await sink.write(form.end());
    const { samples, leftOut: left } = step.value;
    meter.show(samples, samples);
    return { samples: samples - form.late(), left, late: form.late() };
  } finally {
    meter.stop();
  }
}

/** Translates pieces of lines. */
interface ExportTranslation {
  readonly begin: () => string | Uint8Array;
  readonly translate: (lines: Uint8Array) => string | Uint8Array;
  readonly end: () => string | Uint8Array;
  /** Samples without a column for their label. */
  readonly late: () => number;
}

const unchanged: ExportTranslation = {
  begin: () => '',
  translate: (lines) => lines,
  end: () => '',
  late: () => 0,
};

async function formFor(
  { format, range }: ExportOrder,
  source: ExportSource,
  unit: TimestampUnit,
): Promise<ExportTranslation> {
  if (format === 'ndjson') return unchanged;
  const metrics = await source.metrics(range);
  const form = await tableFor(format, unit, metrics);
  const reader = new RunReader(metrics);
  let late = 0;
  return {
    begin: () => form.begin(),
    translate: (lines) => {
      const pieces: Uint8Array[] = [];
      for (const run of reader.read(lines)) {
        const piece = form.print(run);
        if (piece === null) late += run.samples.length;
        else pieces.push(typeof piece === 'string' ? Buffer.from(piece) : piece);
      }
      return Buffer.concat(pieces);
    },
    end: () => form.end(),
    late: () => late,
  };
}

async function tableFor(
  format: 'csv' | 'parquet',
  unit: TimestampUnit,
  metrics: readonly ExportedMetric[],
): Promise<ExportForm> {
  if (format === 'csv') return new CsvForm(unit, metrics);
  const { ParquetForm } = await import('./parquet-form.js');
  return new ParquetForm(unit, metrics);
}

/** All requests of an export must mean the same state, so a relative time must be fixed. */
function fixedState(text: string, unit: TimestampUnit): string {
  const nowMs = Date.now();
  const moment = parsePastState(text, unit, nowMs)?.timeMs ?? null;
  const later = parsePastState(text, unit, nowMs + 1)?.timeMs ?? null;
  return moment === null || moment === later ? text : new Date(Number(moment)).toISOString();
}

/** An older server would silently answer with its current state. */
async function checkKnowsStates({ client, signal, url }: ClientContext): Promise<void> {
  const refusal = await client.findMetrics({ limit: 0 }, { signal, as_of: '@' }).catch(codeOf);
  if (refusal === 'invalid_name') return;
  throw new CommandFailure(`the server at ${url} is too old to export a past state`);
}

function codeOf(error: unknown): string {
  if (error instanceof SeriesDbError && error.code === 'invalid_name') return error.code;
  throw error;
}

function sourceOf(
  { client, signal }: ClientContext,
  asOf: string | undefined,
  notes: HeldNotes,
): ExportSource {
  const options = {
    ...{ signal, ...notes.options },
    ...(asOf === undefined ? {} : { as_of: asOf }),
  };
  return {
    metrics: async ({ prefix, labels }) => {
      const filter = { prefix, labels, limit: kAll };
      const health = await client.metricsHealth(filter, options);
      return exportedMetrics(await client.findMetrics(filter, options), health);
    },
    openLines: (range, during) => client.streamExport(range, { ...options, signal: during }),
  };
}
