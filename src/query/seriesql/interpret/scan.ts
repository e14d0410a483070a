/** Reads, filters and merges the rows of series. One row is one sample. */

import { compareValues } from '../../values/value.js';
import { endOf, startOf } from '../plan/intervals.js';
import { asStep, stepOf } from '../execute/operators.js';

import { withWindows } from './window.js';

import type { Row } from '../plan/evaluate.js';
import type { SelectPlan, Window } from '../plan/plan.js';
import type { SeriesInfo } from '../plan/series.js';
import type { QueryRun } from '../execute/run.js';
import type { SampleColumns, BatchReader } from '../execute/source.js';

/** The number of rows in a merged batch. */
const kRowsPerBatch = 256;

/** The rows of one series that pass WHERE, in time order. Batches may be empty. */
export function seriesRows(
  run: QueryRun,
  plan: SelectPlan,
  series: SeriesInfo,
): AsyncGenerator<readonly Row[]> {
  const last = plan.filter === null ? 'scan' : 'filter';
  return stepOf(run.counters.operators, last, rowsOfSeries(run, plan, series));
}

async function* rowsOfSeries(
  run: QueryRun,
  plan: SelectPlan,
  series: SeriesInfo,
): AsyncGenerator<readonly Row[]> {
  run.counters.seriesScanned += 1;
  for (const interval of plan.intervals) {
    const reader = run.source.read(series, startOf(interval), endOf(interval));
    let isReading = false;
    try {
      for (;;) {
        isReading = true;
        const batch = await nextBatch(run, plan, reader);
        isReading = false;
        if (batch === null) break;
        yield* rowsOf(run, plan, { series, batch });
      }
    } finally {
      reader.close();
      // While an abandoned read still runs, the reader cannot give its figures.
      if (!isReading) countReads(run, reader);
    }
  }
}

/** Reads a batch, as a separate step if a filter follows. */
function nextBatch(
  run: QueryRun,
  { filter }: SelectPlan,
  reader: BatchReader,
): Promise<SampleColumns | null> {
  const work = (): Promise<SampleColumns | null> =>
    run.guard.during(reader.next(), () => {
      reader.close();
    });
  if (filter === null) return work();
  const how = {
    work,
    rowsOf: (batch: SampleColumns | null) => batch?.times.length ?? 0,
  };
  return asStep(run.counters.operators, 'scan', how);
}

function countReads({ counters }: QueryRun, reader: BatchReader): void {
  const counts = reader.stats?.();
  if (counts === undefined) return;
  counters.chunksScanned += counts.chunksScanned;
  counters.chunksSkipped += counts.chunksSkipped;
  counters.bytesRead += counts.bytesRead;
}

async function* rowsOf(
  run: QueryRun,
  plan: SelectPlan,
  { series, batch }: { readonly series: SeriesInfo; readonly batch: SampleColumns },
): AsyncGenerator<readonly Row[]> {
  const { times, values } = batch;
  let at = 0;
  while (at < times.length) {
    const from = at;
    const to = Math.min(times.length, from + run.guard.rowsPerLook);
    const rows: Row[] = [];
    do {
      const [time = 0n, value = 0] = [times[at], values[at]];
      const row = { time, value, series, keys: [], aggregates: [], windows: [] };
      if (plan.filter === null || run.evaluator.isTrue(plan.filter, row)) rows.push(row);
      at += 1;
    } while (at < to && !run.guard.isTextDue);
    run.guard.countSamples(at - from);
    run.counters.rowsScanned += at - from;
    await run.guard.breathe();
    yield rows;
  }
}

/** The rows of several series with their windows, ordered by time and then by id. */
export async function* mergedRows(
  run: QueryRun,
  plan: SelectPlan,
  how: { readonly all: readonly SeriesInfo[]; readonly windows: readonly Window[] },
): AsyncGenerator<readonly Row[]> {
  const inputs = how.all.map((series) =>
    how.windows.length === 0
      ? seriesRows(run, plan, series)
      : stepOf(
          run.counters.operators,
          'windows',
          windowRows(run, plan, { series, windows: how.windows }),
        ),
  );
  const [only] = inputs;
  if (inputs.length === 1 && only !== undefined) yield* only;
  else yield* merge(inputs);
}

/** Windows look ahead, so the rows of a series are held in memory. */
async function* windowRows(
  run: QueryRun,
  plan: SelectPlan,
  how: { readonly series: SeriesInfo; readonly windows: readonly Window[] },
): AsyncGenerator<readonly Row[]> {
  const held: Row[] = [];
  for await (const rows of seriesRows(run, plan, how.series)) {
    for (const row of rows) held.push(row);
    run.guard.requireRows(held.length);
    run.guard.countHeld(rows.length * (1 + how.windows.length));
  }
  yield await withWindows(held, how.windows, run);
}

class ScanCursor {
  readonly #input: AsyncGenerator<readonly Row[]>;
  #rows: readonly Row[] = [];
  #at = 0;

  constructor(input: AsyncGenerator<readonly Row[]>) {
    this.#input = input;
  }

  get row(): Row | undefined {
    return this.#rows[this.#at];
  }

  /** Moves to the next row; false if that needs a load(). */
  step(): boolean {
    this.#at += 1;
    return this.#at < this.#rows.length;
  }

  /** Loads rows until there is one; false at the end. */
  async load(): Promise<boolean> {
    for (;;) {
      const next = await this.#input.next();
      if (next.done === true) return false;
      this.#rows = next.value;
      this.#at = 0;
      if (next.value.length > 0) return true;
    }
  }

  async close(): Promise<void> {
    await this.#input.return(undefined);
  }
}

async function* merge(
  inputs: readonly AsyncGenerator<readonly Row[]>[],
): AsyncGenerator<readonly Row[]> {
  const cursors = inputs.map((input) => new ScanCursor(input));
  try {
    const heap = new Heap();
    for (const cursor of cursors) if (await cursor.load()) heap.push(cursor);
    let rows: Row[] = [];
    for (let top = heap.pop(); top !== undefined; top = heap.pop()) {
      if (top.row !== undefined) rows.push(top.row);
      if (top.step() || (await top.load())) heap.push(top);
      if (rows.length < kRowsPerBatch) continue;
      yield rows;
      rows = [];
    }
    yield rows;
  } finally {
    for (const cursor of cursors) await cursor.close();
  }
}

/** A binary heap of cursors. The cursor with the earliest row is on top. */
class Heap {
  readonly #all: ScanCursor[] = [];

  push(cursor: ScanCursor): void {
    let at = this.#all.push(cursor) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#swapUnlessOrdered(parent, at)) return;
      at = parent;
    }
  }

  pop(): ScanCursor | undefined {
    const top = this.#all[0];
    const last = this.#all.pop();
    if (last === undefined || this.#all.length === 0) return top;
    this.#all[0] = last;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      if (left >= this.#all.length) return top;
      const right = left + 1;
      const child = right < this.#all.length && this.#isBefore(right, left) ? right : left;
      if (!this.#swapUnlessOrdered(at, child)) return top;
      at = child;
    }
  }

  #swapUnlessOrdered(parent: number, child: number): boolean {
    const [upper, lower] = [this.#all[parent], this.#all[child]];
    if (upper === undefined || lower === undefined || !this.#isBefore(child, parent)) return false;
    this.#all[parent] = lower;
    this.#all[child] = upper;
    return true;
  }

  #isBefore(left: number, right: number): boolean {
    const [a, b] = [this.#all[left]?.row, this.#all[right]?.row];
    if (a === undefined || b === undefined) return false;
    return a.time === b.time ? compareValues(a.series.id, b.series.id) < 0 : a.time < b.time;
  }
}
