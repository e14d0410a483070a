/** Answers in the format of Prometheus' HTTP API. */

import { numberText } from '../print/number-texts.js';
import { LabelTable } from '../labels/label-table.js';
import { numbersBelow, rowsInOrder } from '../labels/row-order.js';

import type { Milliseconds } from '../../../common/model/timestamp-unit.js';
import type { Guard } from '../../limits/guard.js';
import type { ByteStream, StepPrint } from '../../../storage/storage.js';
import type { PromqlResult } from '../run-promql.js';
import type { StepFrame, PromqlValue } from '../vectors/value.js';

/** Prints rows as JSON, whole or in pieces, without the enclosing document. */
type PrintRows = (rows: StepPrint) => Uint8Array | ByteStream;

/** The costs of a query, for the `stats` parameter. */
interface PromqlStats {
  /** Seconds in the queue (`waited`) and in evaluation (`evaluated`). */
  readonly waited: number;
  readonly evaluated: number;
  /** The number of samples read. */
  readonly samples: number;
}

interface PrintedAnswer {
  readonly result: PromqlResult;
  /** Null if statistics were not requested. */
  readonly stats: PromqlStats | null;
  readonly frame: StepFrame;
  /** True for one value per series instead of a list. */
  readonly isInstant: boolean;
  /** The most series; 0 for all. */
  readonly limit: number;
  readonly printRows: PrintRows;
  readonly guard: Guard;
}

export async function printAnswer(printed: PrintedAnswer): Promise<ByteStream> {
  const { result, frame, isInstant } = printed;
  const { value } = result;
  if (value.kind === 'string') return whole(printed, 'string', plainPair(frame, value.text));
  if (value.kind === 'scalar' && isInstant) {
    return whole(printed, 'scalar', plainPair(frame, numberText(value.values[0] ?? NaN)));
  }
  return rowsAnswer(printed, value);
}

function plainPair({ start }: StepFrame, text: string): string {
  return `[${timeText(start)},${JSON.stringify(text)}]`;
}

/** In seconds; milliseconds only if they are not zero. */
function timeText(ms: Milliseconds): string {
  const [seconds, rest] = [Math.floor(ms / 1000), ((ms % 1000) + 1000) % 1000];
  if (rest === 0) return String(seconds);
  return ms < 0 ? String(ms / 1000) : `${seconds}.${String(rest).padStart(3, '0')}`;
}

/** The answer for rows that the addon has printed. */
export function rowsText(rows: Uint8Array, isInstant: boolean): Uint8Array {
  return Buffer.concat([isInstant ? vectorHead : matrixHead, rows, rowsTail]);
}

function headOf(type: string): string {
  return `{"status":"success","data":{"resultType":"${type}","result":`;
}

const matrixHead = Buffer.from(`${headOf('matrix')}[`);
const vectorHead = Buffer.from(`${headOf('vector')}[`);
const rowsTail = Buffer.from(']}}');

/** The most warnings, and the most infos, to list; the rest is only counted. */
const kToldMax = 10;

function tailOf({ result, stats }: PrintedAnswer, isCut = false): string {
  const { warnings, infos } = result;
  const warned = fewOf(warnings, 'warning');
  const told = isCut ? [...warned, 'results truncated due to limit'] : warned;
  const informed = fewOf(infos, 'info');
  const parts = [
    ...(told.length === 0 ? [] : [`"warnings":${JSON.stringify(told)}`]),
    ...(informed.length === 0 ? [] : [`"infos":${JSON.stringify(informed)}`]),
  ];
  const figures = stats === null ? '' : `,"stats":${JSON.stringify(statsOf(stats, result))}`;
  return `${figures}}${parts.map((part) => `,${part}`).join('')}}`;
}

/** Under Prometheus' names, as far as they apply here. */
function statsOf({ waited, evaluated, samples }: PromqlStats, { cellsMost }: PromqlResult): object {
  return {
    timings: {
      evalTotalTime: evaluated,
      execQueueTime: waited,
      execTotalTime: waited + evaluated,
    },
    samples: { totalQueryableSamples: samples, peakSamples: cellsMost },
  };
}

function fewOf(notes: readonly string[], kind: string): readonly string[] {
  if (notes.length <= kToldMax) return notes;
  const rest = notes.length - kToldMax;
  return [...notes.slice(0, kToldMax), `${rest} more ${kind} annotations omitted`];
}

function whole(printed: PrintedAnswer, type: string, text: string): ByteStream {
  return piecesOf([Buffer.from(headOf(type) + text + tailOf(printed))]);
}

function piecesOf(pieces: Uint8Array[]): ByteStream {
  return { next: () => Promise.resolve(pieces.shift() ?? null), close: () => undefined };
}

async function rowsAnswer(
  printed: PrintedAnswer,
  value: Exclude<PromqlValue, { kind: 'string' }>,
): Promise<ByteStream> {
  const { frame, isInstant, limit, printRows, guard } = printed;
  const isVector = isInstant && value.kind === 'vector';
  const labels = value.kind === 'scalar' ? LabelTable.none(1) : value.labels;
  const all = isVector ? numbersBelow(labels.rowCount) : await rowsInOrder(labels, guard);
  const isCut = limit > 0 && all.length > limit;
  const rows = printRows({
    ...{ rowCount: labels.rowCount, labels: labels.stored(), ...frame, isInstant: isVector },
    values: value.values,
    present: value.kind === 'vector' ? value.present : null,
    ends: value.kind === 'matrix' ? value.ends : null,
    times: value.kind === 'matrix' ? value.times : null,
    order: isCut ? all.subarray(0, limit) : all,
  });
  const head = isVector ? vectorHead : matrixHead;
  const tail = Buffer.from(`]${tailOf(printed, isCut)}`);
  if ('next' in rows) return between(head, rows, tail);
  return piecesOf([Buffer.concat([head, rows, tail])]);
}

/** A short answer comes in one piece. */
function between(head: Uint8Array, rows: ByteStream, tail: Uint8Array): ByteStream {
  let state: 'head' | 'rows' | 'end' = 'head';
  const next = async (): Promise<Uint8Array | null> => {
    if (state === 'end') return null;
    const piece = await rows.next();
    const isFirst = state === 'head';
    state = piece === null ? 'end' : 'rows';
    if (piece === null) return isFirst ? Buffer.concat([head, tail]) : tail;
    return isFirst ? Buffer.concat([head, piece]) : piece;
  };
  return {
    next,
    close: () => {
      rows.close();
    },
  };
}
