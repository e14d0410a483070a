/** `seriesdb ingest` and `import`: loads files or standard input into a server; resumable. */

import path from 'node:path';

import { clientCodes, SeriesDbError } from '../../client/client.js';
import { visible } from '../../common/model/visible-text.js';

import { printJson, type ClientContext } from '../session/client-context.js';
import { CommandFailure, exitCodes } from '../session/failure.js';
import { writeReasonOf } from '../session/file-reason.js';

import { Complaints } from './complaints.js';
import { shownName, standardInputName } from './file-list.js';
import { isStream, skipTo, sourceOf, type Input } from './input.js';
import {
  afterPart,
  lineBatches,
  type BatchRules,
  type InputPlace,
  type LineBatch,
} from './line-batches.js';
import { quotedEnds } from './line-ends.js';
import { Meter } from '../session/meter.js';
import { Recorder } from './recorder.js';
import { automaticName, ResumeFile } from './resume-file.js';
import { RowRefusal, type RefusedRow, type RowBook } from '../../common/tables/row-book.js';
import { Sender, type SentBatch } from './sender.js';
import { openSource, type InputSource } from './source.js';

import type { TimestampUnit } from '../../common/model/timestamp-unit.js';
import type { TableBatches } from './table-batches.js';
import type { LoadTarget } from './target.js';

/**
 * The most lines of a batch. Refused rows become lines without bytes, and each is kept until it is
 * reported.
 */
const batchRowsMax = 65_536;

export interface LoadOptions {
  readonly target: LoadTarget;
  readonly files: readonly string[];
  readonly isLenient: boolean;
  readonly precision: TimestampUnit | null;
  readonly batchBytes: number;
  readonly waitMs: number;
  /** A shared state file; `automatic`: one beside each file; null: none. */
  readonly resume: { readonly path: string } | 'automatic' | null;
  /**
   * The lines of an input; the input itself if it contains lines. `begunMs` is the start of its
   * first load.
   */
  readonly linesOf: (input: Input, begunMs: number) => Promise<Input>;
}

/** The totals of all loads of one command. */
interface Totals {
  ingested: number;
  rejected: number;
  /** Cells that are not numbers. */
  spoiledCells: number;
  /** Samples that no database can store. */
  leftOut: number;
}

/** An input as lines, and its source. */
interface OpenedInput {
  readonly source: InputSource;
  readonly input: Input;
}

/** An input, reopened if necessary, and the part still to be loaded. */
interface Unsent {
  readonly input: Input;
  readonly bytes: AsyncIterable<Buffer>;
}

/** The part of an input still to be sent. */
interface Remainder {
  readonly bytes: AsyncIterable<Buffer>;
  readonly from: InputPlace;
}

export class Load {
  readonly #context: ClientContext;
  readonly #options: LoadOptions;
  readonly #sender: Sender;
  readonly #states = new Set<ResumeFile>();
  readonly #shared: ResumeFile | null;
  readonly #complaints = new Complaints((text) => {
    this.#say(text);
  });
  readonly #totals: Totals = { ingested: 0, rejected: 0, spoiledCells: 0, leftOut: 0 };
  #isRecording = true;
  #meter: Meter | null = null;

  constructor(context: ClientContext, options: LoadOptions) {
    this.#context = context;
    this.#options = options;
    const { resume, isLenient, waitMs } = options;
    this.#shared = resume !== null && resume !== 'automatic' ? ResumeFile.read(resume.path) : null;
    this.#sender = new Sender({
      target: options.target,
      isLenient,
      waitMs,
      signal: context.signal,
      notice: (text) => {
        this.#say(text);
      },
    });
  }

  /** Resolves with the exit code when all inputs are loaded. */
  async run(): Promise<number> {
    const { files } = this.#options;
    const names = files.length === 0 ? [standardInputName] : files;
    const started = performance.now();
    try {
      for (const name of names) await this.#loadOne(name);
    } catch (error) {
      if (!this.#context.signal.aborted) throw error;
      const { reason } = this.#context.signal as { readonly reason: unknown };
      if (reason instanceof CommandFailure && reason.exitCode === exitCodes.ok) throw reason;
      throw new CommandFailure(this.#farewell(), exitCodes.interrupted);
    } finally {
      this.#complaints.finish();
    }
    for (const state of this.#states) state.remove();
    this.#report(names.length, (performance.now() - started) / 1000);
    const { rejected, spoiledCells, leftOut } = this.#totals;
    return rejected + spoiledCells + leftOut === 0 ? exitCodes.ok : exitCodes.skipped;
  }

  async #loadOne(name: string): Promise<void> {
    const where = this.#options.target.name;
    const key = name === standardInputName ? name : path.resolve(name);
    const state = this.#stateOf(name);
    const before = state?.progressOf(key, where) ?? null;
    if (before?.isDone === true) {
      this.#say(`${shownName(name)} was loaded before the interruption`);
      this.#add(before);
      this.#totals.leftOut += before.leftOutFields ?? 0;
      return;
    }
    const begunMs = before?.begunMs ?? Date.now();
    const { terminal, signal } = this.#context;
    const source = await openSource(name, { standardInput: terminal.standardInput, signal });
    if (before === null) source.settle();
    const opened = { source, input: await this.#linesOf(source.input, begunMs) };
    const title = name === standardInputName ? shownName(name) : visible(path.basename(name));
    const meter = new Meter({ screen: terminal.screen(), title, total: opened.input.size });
    this.#meter = meter;
    try {
      const meaning = opened.input.table?.key;
      const recorded = { key, url: where, before, begunMs, ...(meaning && { meaning }) };
      await this.#loadInput(opened, new Recorder(recorded), state);
    } finally {
      meter.stop();
      this.#meter = null;
    }
  }

  async #linesOf(raw: Input, begunMs: number): Promise<Input> {
    const input = await this.#options.linesOf(raw, begunMs);
    const { precision } = this.#options;
    if (input.lineProtocol !== undefined) {
      this.#sender.useForm({ format: 'influx', ...input.lineProtocol });
    } else {
      // If the input has rows, its lines are in the database's unit.
      this.#sender.useForm(input.rows !== null || precision === null ? {} : { precision });
    }
    return input;
  }

  async #loadInput(
    opened: OpenedInput,
    recorder: Recorder,
    state: ResumeFile | null,
  ): Promise<void> {
    let { input } = opened;
    try {
      const remaining = await this.#remaining(opened, recorder);
      const { bytes } = remaining;
      input = remaining.input;
      const acknowledged = (sent: SentBatch): void => {
        recorder.add(sent);
        this.#record(state, recorder);
      };
      const noted = recorder.noted(bytes);
      await this.#sendAll(input, { bytes: noted, from: recorder.place }, acknowledged);
    } catch (error) {
      if (!(error instanceof RowRefusal)) throw error;
      const refused = { line: error.line, reason: error.message, cells: 0, code: 'invalid_record' };
      throw this.#stopped(input, refused, recorder.line);
    }
    this.#tellLeftOut(input);
    recorder.finish();
    this.#record(state, recorder);
  }

  /** The part still to be loaded; everything if this is a different input. */
  async #remaining({ source, input }: OpenedInput, recorder: Recorder): Promise<Unsent> {
    const { before } = recorder;
    if (before === null) return unsent(input);
    const { bytes, isResumed, close } = await skipTo(input, before.offset, before.beginning);
    if (isResumed) {
      source.settle();
      input.rows?.leaveOut(leftOutFields, null, before.leftOutFields ?? 0);
      const place = `${isOfLines(input) ? 'line' : 'row'} ${before.line}`;
      this.#say(`${shownName(input.name)}: continuing after ${place}`);
      this.#add(before);
      return { input, bytes };
    }
    this.#say(`${shownName(input.name)} has changed; starting from its beginning`);
    await close();
    // Samples without a time get the new start time: the earlier load read other data.
    const begunMs = Date.now();
    const again = await this.#linesOf(await source.again(), begunMs);
    recorder.startOver(begunMs, again.table?.key);
    source.settle();
    return unsent(again);
  }

  async #sendAll(
    input: Input,
    { bytes, from }: Remainder,
    acknowledged: (sent: SentBatch) => void,
  ): Promise<void> {
    const note = (part: SentBatch): void => {
      const sent = withRefusedRows(part, input.rows);
      this.#add(sent);
      this.#tellRejected(input, sent);
      input.rows?.leaveOut(leftOutFields, null, sent.leftOutFields);
      input.rows?.forget(sent.batch.to.line);
      acknowledged(sent);
      this.#meter?.show(input.position(), this.#totals.ingested);
    };
    const { table } = input;
    if (table === undefined) {
      const batches = lineBatches(bytes, from, this.#rulesFor(input));
      await this.#sendLines(input, batches, note);
      return;
    }
    const raws = readAhead(table.batches(bytes, from, this.#options.batchBytes));
    for await (const raw of raws) {
      const left = await this.#offer(table, raw, note);
      if (left === null) continue;
      const unread = table.isOffering ? [left] : followed(left, raws);
      await this.#sendLines(input, table.lines(unread, this.#rulesFor(input)), note);
    }
  }

  async #sendLines(
    input: Input,
    batches: AsyncGenerator<LineBatch>,
    note: (part: SentBatch) => void,
  ): Promise<void> {
    for await (const batch of readAhead(batches)) {
      for await (const part of this.#sendOne(input, batch)) note(part);
    }
  }

  /** The rows that the server did not take as they are; null if it took all. */
  async #offer(
    table: TableBatches,
    raw: LineBatch,
    note: (part: SentBatch) => void,
  ): Promise<LineBatch | null> {
    const texts = table.offer(raw);
    if (texts === null) return raw;
    let left: LineBatch | null = raw;
    try {
      for await (const part of this.#sender.send(raw, table.form)) {
        table.accept(part.batch, raw, texts);
        left = afterPart(raw, part.batch);
        note(part);
      }
    } catch (error) {
      // If the server cannot be reached, lines would not reach it either.
      if (!(error instanceof SeriesDbError) || error.code === clientCodes.network) throw error;
      table.refuse();
    }
    return left;
  }

  #rulesFor(input: Input): BatchRules {
    const { rows, lineProtocol } = input;
    const lines = isOfLines(input) ? Number.POSITIVE_INFINITY : batchRowsMax;
    const size = { bytes: this.#options.batchBytes, lines };
    if (lineProtocol === undefined) return size;
    const refuse = (line: number): void => {
      rows?.refuse({ line, reason: 'it opens a quote that is never closed', cells: 0 });
    };
    return { ...size, ends: quotedEnds, refuse };
  }

  async *#sendOne(input: Input, batch: LineBatch): AsyncGenerator<SentBatch> {
    let sentLines = 0;
    try {
      for await (const sent of this.#sender.send(batch)) {
        sentLines += sent.batch.lineCount;
        yield sent;
      }
    } catch (error) {
      if (!(error instanceof SeriesDbError) || error.line === null) throw error;
      const last = batch.from.line + sentLines;
      const { code, message: reason } = error;
      throw this.#stopped(input, { line: last + error.line, reason, cells: 0, code }, last);
    }
  }

  /** Stops the load at this line; `last` is the last stored one. */
  #stopped(input: Input, refused: RefusedRow & { readonly code: string }, last: number) {
    const { line, reason, code } = refused;
    const kept =
      last === 0
        ? `nothing of ${shownName(input.name)} was stored`
        : line <= last
          ? 'it was loaded before and has changed; see --no-resume'
          : `${this.#totals.ingested} samples were stored before; nothing after ${sourceOf(input, last)} was`;
    const sentence = visible(reason.replace(/^line \d+: /, ''));
    const isHinted = this.#options.isLenient || `${reason} ${kept}`.includes('--');
    const hint = isHinted ? '' : `; --on-error skip leaves out such ${input.rows?.noun ?? 'line'}s`;
    return new CommandFailure(`${placeOf(input, line)}: ${sentence} (${code}); ${kept}${hint}`);
  }

  #tellRejected(input: Input, { batch, rejected, spoiledCells, errors }: SentBatch): void {
    const told = { lines: 0, cells: 0 };
    for (const { line, code, error, cells } of errors) {
      const reason = visible(error.replace(/^line \d+: /, ''));
      const place = placeOf(input, batch.from.line + line);
      const end = cells === 0 ? `(${code}); skipped` : `; left out`;
      const text = `${place}: ${reason}${cells === 0 ? ' ' : ''}${end}`;
      this.#complaints.tell(text, cells === 0 ? 'line' : 'cell', Math.max(1, cells));
      told[cells === 0 ? 'lines' : 'cells'] += Math.max(1, cells);
    }
    this.#complaints.hide('line', rejected - told.lines);
    this.#complaints.hide('cell', spoiledCells - told.cells);
    this.#totals.spoiledCells += spoiledCells;
  }

  #tellLeftOut({ name, rows }: Input): void {
    const first = (row: number): string => ` (first: ${rows?.noun ?? 'line'} ${row})`;
    for (const [what, { count, row }] of rows?.leftOut() ?? []) {
      this.#totals.leftOut += count;
      const place = row === null ? '' : first(row);
      const text = `${shownName(name)}: skipped ${count.toLocaleString('en')} ${what}${place}`;
      this.#complaints.tell(text, 'sample', count);
    }
    for (const remark of rows?.remarked() ?? []) {
      this.#say(`${shownName(name)}: ${remark.text}${first(remark.row)}`);
    }
  }

  #stateOf(name: string): ResumeFile | null {
    const { resume } = this.#options;
    if (resume === null) return null;
    if (resume === 'automatic' && (name === standardInputName || isStream(name))) return null;
    const state = this.#shared ?? ResumeFile.read(automaticName(name));
    this.#states.add(state);
    return state;
  }

  #record(state: ResumeFile | null, recorder: Recorder): void {
    if (state === null || !this.#isRecording) return;
    try {
      state.record(recorder.key, recorder.progress());
    } catch (error) {
      // The load matters more than its resumability.
      this.#isRecording = false;
      this.#say(`an interrupted load could not be continued: ${writeReasonOf(error)}`);
    }
  }

  #add({ ingested, rejected }: { readonly ingested: number; readonly rejected: number }): void {
    this.#totals.ingested += ingested;
    this.#totals.rejected += rejected;
  }

  /** A line beside the progress bar, on standard error. */
  #say(text: string): void {
    this.#context.terminal.clearLine();
    this.#context.terminal.writeError(`${text}\n`);
  }

  #farewell(): string {
    const stored = `interrupted; ${this.#totals.ingested} samples were acknowledged`;
    const canGoOn = this.#isRecording && this.#states.size > 0;
    return canGoOn ? `${stored}; run the same command again to continue` : stored;
  }

  #report(inputs: number, seconds: number): void {
    const { terminal, isJson } = this.#context;
    const { ingested, rejected, spoiledCells } = this.#totals;
    if (isJson) {
      terminal.write(printJson({ ingested, rejected, inputs, seconds }));
      return;
    }
    const figure = (count: number): string => count.toLocaleString('en');
    const counted = (count: number, noun: string, did: string): string =>
      count === 0 ? '' : `, ${figure(count)} ${noun}${count === 1 ? '' : 's'} ${did}`;
    const skipped = counted(rejected, 'line', 'skipped') + counted(spoiledCells, 'cell', 'skipped');
    const from = inputs === 1 ? '1 input' : `${inputs} inputs`;
    terminal.write(
      `${figure(ingested)} samples from ${from} in ${seconds.toFixed(1)} s${skipped}\n`,
    );
  }
}

function unsent(input: Input): Unsent {
  return { input, bytes: input.table?.bytes ?? input.bytes };
}

async function* followed(
  first: LineBatch,
  rest: AsyncIterable<LineBatch>,
): AsyncGenerator<LineBatch> {
  yield first;
  yield* rest;
}

/** The kind of what line protocol loses. */
const leftOutFields = 'fields that are not numbers';

/** Whether the lines of the input are sent as they are. */
function isOfLines({ rows, lineProtocol }: Input): boolean {
  return rows === null || lineProtocol !== undefined;
}

function placeOf(input: Input, line: number): string {
  const name = shownName(input.name);
  const { rows } = input;
  if (rows?.noun === 'row') return `${name}, ${sourceOf(input, line)}`;
  return `${name}:${rows?.sourceOf(line) ?? line}`;
}

/** Maximum reports per request. */
const toldMax = 10;

/** Adds the rows refused here, and reports the first of all refused lines. */
function withRefusedRows(sent: SentBatch, rows: RowBook | null): SentBatch {
  const { from, to } = sent.batch;
  const refused = rows?.refused(from.line, to.line) ?? [];
  if (refused.length === 0) return sent;
  const here = refused.map(({ line, reason, cells }) => ({
    ...{ line: line - from.line, code: 'invalid_record', error: reason, cells },
  }));
  const spoiledCells = refused.reduce((sum, { cells }) => sum + cells, 0);
  const rowCount = refused.filter(({ cells }) => cells === 0).length;
  const errors = [...sent.errors, ...here].sort((a, b) => a.line - b.line).slice(0, toldMax);
  return { ...sent, rejected: sent.rejected + rowCount, spoiledCells, errors };
}

/** Makes the next batch while the last one is being sent. */
async function* readAhead(batches: AsyncGenerator<LineBatch>): AsyncGenerator<LineBatch> {
  let next = batches.next();
  try {
    for (let step = await next; step.done !== true; step = await next) {
      next = batches.next();
      // Awaited soon; until then its rejection must not count as unhandled.
      next.catch(() => undefined);
      yield step.value;
    }
  } finally {
    await batches.return(undefined);
  }
}
