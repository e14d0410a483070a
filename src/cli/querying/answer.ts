/** Prints the answer of one statement in the requested format. */

import { printTime, printTimeIn } from '../../common/model/iso-time.js';
import { unitOfSecond } from '../../common/model/timestamp-unit.js';

import { printChart } from '../charting/chart.js';
import { writeLong } from '../session/long-text.js';
import { printTable, type Cell } from '../session/table.js';

import { holdNotes, type HeldNotes } from '../session/told-notes.js';

import { linesOf } from './lines-of.js';

import type { QueryResult } from '../../client/client.js';
import type { TimestampUnit } from '../../common/model/timestamp-unit.js';
import type { ClientContext } from '../session/client-context.js';
import type { QueryForm, QueryFormat } from './query-form.js';

export async function showAnswer(
  context: ClientContext,
  text: string,
  form: QueryForm,
): Promise<void> {
  const startedMs = performance.now();
  const { terminal } = context;
  const said = await show(context, text, form);
  const waited = form.isTimed === true ? `${(performance.now() - startedMs).toFixed(1)} ms` : '';
  const remarks = [said, waited === '' ? '' : `${waited} in all`].filter((one) => one !== '');
  if (remarks.length > 0) terminal.note(`${remarks.join(', ')}\n`);
}

/** Resolves with the closing remark. */
async function show(context: ClientContext, text: string, form: QueryForm): Promise<string> {
  const { format } = form;
  if (format !== 'table' && format !== 'chart') {
    return showStream(context, text, { ...form, format });
  }
  const notes = holdNotes();
  const result = await context.client.seriesql(text, optionsOf(context, form, notes));
  await (format === 'table' ? showTable : showChart)(context, result, form.zone);
  notes.tell(context, form.asOf);
  const { rows, stats } = result;
  const elapsed = Number(stats['execute_ms'] ?? 0).toFixed(1);
  return `${rows.length} ${rows.length === 1 ? 'row' : 'rows'}, ${elapsed} ms`;
}

function optionsOf({ signal }: ClientContext, { asOf, zone }: QueryForm, notes: HeldNotes) {
  return {
    signal,
    ...notes.options,
    ...(asOf === undefined ? {} : { as_of: asOf }),
    ...(zone === undefined ? {} : { tz: zone }),
  };
}

interface StreamForm extends QueryForm {
  readonly format: Exclude<QueryFormat, 'table' | 'chart'>;
}

async function showStream(context: ClientContext, text: string, form: StreamForm): Promise<string> {
  const { client, terminal } = context;
  const { format } = form;
  const decoder = new TextDecoder();
  const notes = holdNotes();
  const options = { ...optionsOf(context, form, notes), format };
  for await (const piece of client.streamSeriesql(text, options)) {
    await writeLong(context, decoder.decode(piece, { stream: true }));
  }
  if (format === 'json') terminal.write('\n');
  notes.tell(context, form.asOf);
  return '';
}

async function showTable(
  context: ClientContext,
  result: QueryResult,
  zone: string | undefined,
): Promise<void> {
  const isText = (type: string): boolean => ['string', 'boolean', 'timestamp'].includes(type);
  const heads = result.columns.map(({ name, type }) => ({ name, isNumber: !isText(type) }));
  const { terminal } = context;
  const cells = await cellsOf(context, result, zone);
  await writeLong(context, printTable(heads, cells, { width: terminal.width() }));
}

async function showChart(
  context: ClientContext,
  result: QueryResult,
  zone: string | undefined,
): Promise<void> {
  const { terminal } = context;
  const lines = linesOf(result);
  const unit = lines.length > 0 ? await unitOf(context) : null;
  const timeText = (time: number): string =>
    unit === null ? String(time) : shownTime(BigInt(time), unit, zone) || String(time);
  terminal.write(printChart(lines, { width: terminal.width(), timeText }));
}

/** Timestamps become ISO texts. */
async function cellsOf(
  context: ClientContext,
  { columns, rows }: QueryResult,
  zone: string | undefined,
): Promise<readonly (readonly Cell[])[]> {
  const hasTimes = rows.length > 0 && columns.some(({ type }) => type === 'timestamp');
  const unit = hasTimes ? await unitOf(context) : null;
  if (unit === null) return rows;
  const cellOf = (cell: Cell, at: number): Cell =>
    columns[at]?.type === 'timestamp' ? timeCell(cell, unit, zone) : cell;
  return rows.map((row) => row.map(cellOf));
}

/** Null if the server does not tell; times then stay integers. */
async function unitOf({ client, signal }: ClientContext): Promise<TimestampUnit | null> {
  const { rows } = await client.seriesql('select 1s', { signal });
  const second = rows[0]?.[0];
  return typeof second === 'number' || typeof second === 'bigint'
    ? unitOfSecond(BigInt(second))
    : null;
}

/** A time without an ISO form stays an integer. */
function timeCell(cell: Cell, unit: TimestampUnit, zone: string | undefined): Cell {
  if (typeof cell !== 'number' && typeof cell !== 'bigint') return cell;
  const text = shownTime(BigInt(cell), unit, zone);
  return text === '' ? cell : text;
}

function shownTime(time: bigint, unit: TimestampUnit, zone: string | undefined): string {
  return zone === undefined ? printTime(time, unit) : printTimeIn(zone, time, unit);
}
