/** Shadow mode: compares the rows of two engines, and serves the interpreter's. */

import { AppError, toAppError } from '../../common/errors/app-error.js';

import type { Value } from '../values/value.js';
import type { Execution, ResultRow } from './execute/execution.js';

export interface ShadowOptions {
  readonly onMismatch: 'log' | 'error';
  /** Receives a difference as a sentence. */
  readonly report: (difference: string) => void;
}

/** The allowed relative difference of floats, since the engines add in different orders. */
const kRelativeTolerance = 1e-9;

interface Shadow extends ShadowOptions {
  /** Called once if the other engine's answer differs, including an error. */
  readonly count: () => void;
}

/** Serves the legacy rows. `start` runs the other engine. */
export function runShadowed(
  legacy: Execution,
  start: () => Promise<Execution>,
  options: Shadow,
): Execution {
  return { columns: legacy.columns, rows: compared(legacy, start, options) };
}

async function* compared(
  legacy: Execution,
  start: () => Promise<Execution>,
  options: Shadow,
): AsyncGenerator<readonly ResultRow[]> {
  const other = new RowReader();
  await other.open(start);
  let difference = other.columnsDiffer(legacy);
  let index = 0;
  try {
    for await (const rows of legacy.rows) {
      for (const row of rows) {
        if (difference === null) difference = rowsDiffer(row, await other.next(), index);
        index += 1;
      }
      if (difference !== null && options.onMismatch === 'error') break;
      yield rows;
    }
    if (difference === null && (await other.next()) !== null) {
      difference = `the compiled engine gave more than ${index} rows`;
    }
  } finally {
    await other.close();
  }
  if (other.isLate) return;
  difference = other.failure ?? difference;
  if (difference === null) return;
  options.count();
  options.report(difference);
  if (options.onMismatch === 'error') throw new AppError('shadow_mismatch', difference);
}

/** The rows of the compiled engine. An error ends them and is kept. */
class RowReader {
  failure: string | null = null;
  /** True if it timed out or was cancelled; its rows then prove nothing. */
  isLate = false;
  #columns: Execution['columns'] | null = null;
  #batches: AsyncIterator<readonly ResultRow[]> | null = null;
  #rows: readonly ResultRow[] = [];
  #at = 0;

  async open(start: () => Promise<Execution>): Promise<void> {
    try {
      const { columns, rows } = await start();
      this.#columns = columns;
      this.#batches = rows[Symbol.asyncIterator]();
    } catch (error) {
      this.#fail(error);
    }
  }

  columnsDiffer(legacy: Execution): string | null {
    return this.#columns === null ? null : columnsDiffer(legacy.columns, this.#columns);
  }

  async next(): Promise<ResultRow | null> {
    while (this.#at >= this.#rows.length) {
      const rows = await this.#nextRows();
      if (rows === null) return null;
      this.#rows = rows;
      this.#at = 0;
    }
    this.#at += 1;
    return this.#rows[this.#at - 1] ?? null;
  }

  async close(): Promise<void> {
    await this.#batches?.return?.(undefined);
  }

  async #nextRows(): Promise<readonly ResultRow[] | null> {
    try {
      const step = await this.#batches?.next();
      return step === undefined || step.done === true ? null : step.value;
    } catch (error) {
      this.#fail(error);
      return null;
    }
  }

  #fail(error: unknown): void {
    this.#batches = null;
    const { code, message } = toAppError(error);
    this.isLate = code === 'query_timeout';
    this.failure = `the compiled engine failed with ${code}: ${message}`;
  }
}

function columnsDiffer(
  legacy: Execution['columns'],
  compiled: Execution['columns'],
): string | null {
  const [left, right] = [legacy, compiled].map((columns) => JSON.stringify(columns));
  return left === right ? null : `columns differ: ${left ?? ''} and ${right ?? ''}`;
}

function rowsDiffer(left: ResultRow, right: ResultRow | null, index: number): string | null {
  if (right === null) return `the compiled engine gave only ${index} rows`;
  const at = left.findIndex((value, column) => !isClose(value, right[column] ?? null));
  return at < 0 ? null : `row ${index}, column ${at}: ${String(left[at])} and ${String(right[at])}`;
}

export function isClose(left: Value, right: Value): boolean {
  if (typeof left !== 'number' || typeof right !== 'number') return left === right;
  if (left === right) return true;
  return Math.abs(left - right) <= kRelativeTolerance * Math.max(Math.abs(left), Math.abs(right));
}
