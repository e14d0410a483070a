/** Shadow mode: the rows of two engines side by side. The interpreter's are served. */

import { AppError } from '../errors/app-error.js';

import type { Execution, ResultRow } from './execution.js';
import type { Value } from './value.js';

export interface ShadowOptions {
  readonly onMismatch: 'log' | 'error';
  /** Told of a difference, with a sentence. */
  readonly report: (difference: string) => void;
}

/** Floats may differ by so much of their size, since sums are added in another order. */
const kRelativeTolerance = 1e-9;

/** Serves the legacy rows; calls `count` once when the other engine answers something else. */
export function runShadowed(
  legacy: Execution,
  compiled: Execution,
  options: ShadowOptions,
  count: () => void,
): Execution {
  return { columns: legacy.columns, rows: compared(legacy, compiled, options, count) };
}

async function* compared(
  legacy: Execution,
  compiled: Execution,
  options: ShadowOptions,
  count: () => void,
): AsyncGenerator<readonly ResultRow[]> {
  const other = new RowReader(compiled);
  let difference = columnsDiffer(legacy, compiled);
  let index = 0;
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
  await other.close();
  if (difference === null) return;
  count();
  options.report(difference);
  if (options.onMismatch === 'error') throw new AppError('shadow_mismatch', difference);
}

class RowReader {
  readonly #batches: AsyncIterator<readonly ResultRow[]>;
  #rows: readonly ResultRow[] = [];
  #at = 0;

  constructor(execution: Execution) {
    this.#batches = execution.rows[Symbol.asyncIterator]();
  }

  async next(): Promise<ResultRow | null> {
    while (this.#at >= this.#rows.length) {
      const step = await this.#batches.next();
      if (step.done === true) return null;
      this.#rows = step.value;
      this.#at = 0;
    }
    this.#at += 1;
    return this.#rows[this.#at - 1] ?? null;
  }

  async close(): Promise<void> {
    await this.#batches.return?.(undefined);
  }
}

function columnsDiffer(legacy: Execution, compiled: Execution): string | null {
  const [left, right] = [legacy, compiled].map(({ columns }) => JSON.stringify(columns));
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
