/** `seriesdb query`: one statement of SeriesQL, a text from a pipe, or a prompt. */

import { printTime } from '../../model/iso-time.js';
import { unitOfSecond } from '../../model/timestamp-unit.js';
import { SeriesDbError } from '../../client/client.js';

import { CommandFailure, exitCodes, sentenceOf } from '../session/failure.js';
import { printTable, type Cell } from '../session/table.js';

import { openPrompt } from './prompt.js';

import type { TimestampUnit } from '../../model/timestamp-unit.js';
import type { ClientContext } from '../session/client-context.js';

export const queryFormats = ['table', 'csv', 'json', 'ndjson'] as const;
export type QueryFormat = (typeof queryFormats)[number];

/** How rows are printed, and of which state: that of a snapshot, or the last one. */
interface QueryForm {
  readonly format: QueryFormat;
  readonly asOf: string | undefined;
}

/** Without a text the standard input is read; at a terminal it is a prompt. */
export async function runQueryCommand(
  context: ClientContext,
  text: string | undefined,
  form: QueryForm,
): Promise<number> {
  if (text !== undefined) {
    await showAnswer(context, text, form);
    return exitCodes.ok;
  }
  const input = context.terminal.standardInput();
  const screen = context.terminal.screen();
  if (screen !== null && 'isTTY' in input && input.isTTY === true) {
    const { environment } = context.terminal;
    const interrupts = new Interrupts();
    const prompt = openPrompt({
      input,
      output: screen,
      home: environment['HOME'] ?? null,
      onInterrupt: () => interrupts.raise(),
    });
    return answerAll(context, prompt, { form, interrupts });
  }
  const chunks: Buffer[] = [];
  for await (const chunk of input) chunks.push(Buffer.from(chunk as Uint8Array));
  await showAnswer(context, Buffer.concat(chunks).toString('utf8'), form);
  return exitCodes.ok;
}

/** Ctrl-C at the prompt, which ends the statement that runs and nothing else. */
class Interrupts {
  #running: AbortController | null = null;

  /** False when nothing runs. */
  raise(): boolean {
    this.#running?.abort(new CommandFailure('interrupted', exitCodes.interrupted));
    return this.#running !== null;
  }

  /** False when it was interrupted; rejects with anything else that went wrong. */
  async during(work: (signal: AbortSignal) => Promise<void>): Promise<boolean> {
    const controller = new AbortController();
    this.#running = controller;
    try {
      await work(controller.signal);
      return true;
    } catch (error) {
      if (!controller.signal.aborted) throw error;
      return false;
    } finally {
      this.#running = null;
    }
  }
}

/** Answers one statement after the other; what is wrong with one does not end the rest. */
async function answerAll(
  context: ClientContext,
  statements: AsyncIterable<string>,
  how: { readonly form: QueryForm; readonly interrupts: Interrupts },
): Promise<number> {
  const { terminal, url } = context;
  for await (const statement of statements) {
    try {
      const isWhole = await how.interrupts.during((signal) => {
        const both = AbortSignal.any([context.signal, signal]);
        return showAnswer({ ...context, signal: both }, statement, how.form);
      });
      if (!isWhole) terminal.writeError('interrupted\n');
    } catch (error) {
      if (!(error instanceof SeriesDbError)) throw error;
      terminal.writeError(`${sentenceOf(error, url)}\n`);
    }
    await terminal.drained();
  }
  return exitCodes.ok;
}

async function showAnswer(
  context: ClientContext,
  text: string,
  { format, asOf }: QueryForm,
): Promise<void> {
  const { client, terminal, signal } = context;
  const options = asOf === undefined ? { signal } : { signal, as_of: asOf };
  if (format !== 'table') {
    const decoder = new TextDecoder();
    for await (const piece of client.streamSeriesql(text, { ...options, format })) {
      terminal.write(decoder.decode(piece, { stream: true }));
      await terminal.drained();
    }
    if (format === 'json') terminal.write('\n');
    return;
  }
  const { columns, rows, stats } = await client.seriesql(text, options);
  const isText = (type: string): boolean => ['string', 'boolean', 'timestamp'].includes(type);
  const heads = columns.map(({ name, type }) => ({ name, isNumber: !isText(type) }));
  const hasTimes = rows.length > 0 && columns.some(({ type }) => type === 'timestamp');
  const unit = hasTimes ? await unitOf(context) : null;
  const cellOf = (cell: Cell, at: number): Cell =>
    unit !== null && columns[at]?.type === 'timestamp' ? timeCell(cell, unit) : cell;
  terminal.write(printTable(heads, unit === null ? rows : rows.map((row) => row.map(cellOf))));
  const elapsed = Number(stats['execute_ms'] ?? 0).toFixed(1);
  terminal.note(`${rows.length} ${rows.length === 1 ? 'row' : 'rows'}, ${elapsed} ms\n`);
}

/** Null when the server does not say; then times stay integers. */
async function unitOf({ client, signal }: ClientContext): Promise<TimestampUnit | null> {
  const { rows } = await client.seriesql('select 1s', { signal });
  const second = rows[0]?.[0];
  return typeof second === 'number' || typeof second === 'bigint'
    ? unitOfSecond(BigInt(second))
    : null;
}

/** What has no ISO form stays an integer. */
function timeCell(cell: Cell, unit: TimestampUnit): Cell {
  if (typeof cell !== 'number' && typeof cell !== 'bigint') return cell;
  const text = printTime(BigInt(cell), unit);
  return text === '' ? cell : text;
}
