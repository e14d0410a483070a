/**
 * Aggregates the rows of a group, step by step. The addon does the same in native/query/promql for
 * rows that it reads. Both use the same order and arithmetic, so results are equal to the last
 * digit.
 */

import { inSpans, type Pauses } from '../../limits/turns.js';

import type { StepFold } from '../../../storage/storage.js';

export type FoldOp = StepFold['op'];

/** The cells of a row, from `from` on, and of its group, from `into` on. */
interface FoldedRow {
  readonly values: Float64Array;
  readonly present: Uint8Array | null;
  readonly from: number;
  readonly into: number;
  readonly steps: number;
}

interface Folded {
  readonly values: Float64Array;
  readonly present: Uint8Array;
}

abstract class CellFold {
  /** The number of values in each cell. */
  protected readonly counts: Float64Array;
  protected readonly results: Float64Array;

  constructor(cells: number) {
    this.counts = new Float64Array(cells);
    this.results = new Float64Array(cells);
  }

  addRow({ values, present, from, into, steps }: FoldedRow): void {
    for (let step = 0; step < steps; step += 1) {
      if (present !== null && present[from + step] !== 1) continue;
      this.add(into + step, values[from + step] ?? NaN);
    }
  }

  async finish(pauses: Pauses): Promise<Folded> {
    const present = new Uint8Array(this.counts.length);
    await inSpans(pauses, { count: present.length }, (from, to) => {
      for (let cell = from; cell < to; cell += 1) {
        if (this.counts[cell] === 0) continue;
        present[cell] = 1;
        this.results[cell] = this.resultOf(cell);
      }
    });
    return { values: this.results, present };
  }

  protected abstract add(cell: number, value: number): void;

  protected resultOf(cell: number): number {
    return this.results[cell] ?? NaN;
  }
}

/** Neumaier's sum: the rounding error is summed separately. */
class SumFold extends CellFold {
  readonly #lost: Float64Array;

  constructor(cells: number) {
    super(cells);
    this.#lost = new Float64Array(cells);
  }

  protected add(cell: number, value: number): void {
    const count = this.counts[cell] ?? 0;
    this.counts[cell] = count + 1;
    const sum = this.results[cell] ?? 0;
    if (count === 0) {
      this.results[cell] = value;
      return;
    }
    const next = sum + value;
    this.results[cell] = next;
    this.#lost[cell] = isEndless(next) ? 0 : (this.#lost[cell] ?? 0) + lossOf(sum, value, next);
  }

  protected override resultOf(cell: number): number {
    return (this.results[cell] ?? NaN) + (this.#lost[cell] ?? 0);
  }
}

/** The rounding error if `sum` plus `value` gave `next`. */
function lossOf(sum: number, value: number, next: number): number {
  return Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum;
}

function isEndless(value: number): boolean {
  return value === Infinity || value === -Infinity;
}

/** The sum divided by the count. If the sum would overflow, an incremental mean. */
class AverageFold extends CellFold {
  readonly #lost: Float64Array;
  readonly #isMean: Uint8Array;

  constructor(cells: number) {
    super(cells);
    this.#lost = new Float64Array(cells);
    this.#isMean = new Uint8Array(cells);
  }

  protected add(cell: number, value: number): void {
    const count = (this.counts[cell] ?? 0) + 1;
    this.counts[cell] = count;
    if (count === 1) this.results[cell] = value;
    else if (this.#isMean[cell] === 1) this.#addToMean(cell, value);
    else this.#addToSum(cell, value);
  }

  #addToSum(cell: number, value: number): void {
    const sum = this.results[cell] ?? 0;
    const next = sum + value;
    if (!isEndless(next)) {
      this.#lost[cell] = (this.#lost[cell] ?? 0) + lossOf(sum, value, next);
      this.results[cell] = next;
      return;
    }
    const before = (this.counts[cell] ?? 0) - 1;
    this.#isMean[cell] = 1;
    this.results[cell] = sum / before;
    this.#lost[cell] = (this.#lost[cell] ?? 0) / before;
    this.#addToMean(cell, value);
  }

  #addToMean(cell: number, value: number): void {
    const count = this.counts[cell] ?? 0;
    const share = (count - 1) / count;
    const sum = share * (this.results[cell] ?? 0);
    const part = value / count;
    const next = sum + part;
    const lost = share * (this.#lost[cell] ?? 0);
    this.#lost[cell] = isEndless(next) ? 0 : lost + lossOf(sum, part, next);
    this.results[cell] = next;
  }

  protected override resultOf(cell: number): number {
    const [result, lost] = [this.results[cell] ?? NaN, this.#lost[cell] ?? 0];
    if (this.#isMean[cell] === 1) return result + lost;
    const count = this.counts[cell] ?? 0;
    return result / count + lost / count;
  }
}

/** NaN only if there are no other values. */
class LowestFold extends CellFold {
  protected add(cell: number, value: number): void {
    const lowest = this.results[cell] ?? NaN;
    const isFirst = this.counts[cell] === 0;
    this.counts[cell] = 1;
    if (isFirst || lowest > value || Number.isNaN(lowest)) this.results[cell] = value;
  }
}

class HighestFold extends CellFold {
  protected add(cell: number, value: number): void {
    const highest = this.results[cell] ?? NaN;
    const isFirst = this.counts[cell] === 0;
    this.counts[cell] = 1;
    if (isFirst || highest < value || Number.isNaN(highest)) this.results[cell] = value;
  }
}

class CountFold extends CellFold {
  protected add(cell: number): void {
    this.counts[cell] = (this.counts[cell] ?? 0) + 1;
  }

  protected override resultOf(cell: number): number {
    return this.counts[cell] ?? 0;
  }
}

class GroupFold extends CellFold {
  protected add(cell: number): void {
    this.counts[cell] = 1;
  }

  protected override resultOf(): number {
    return 1;
  }
}

/** Welford's algorithm: the results are sums of squared distances from the mean. */
class VarianceFold extends CellFold {
  readonly #means: Float64Array;

  constructor(cells: number) {
    super(cells);
    this.#means = new Float64Array(cells);
  }

  protected add(cell: number, value: number): void {
    const count = (this.counts[cell] ?? 0) + 1;
    this.counts[cell] = count;
    if (count === 1) {
      this.#means[cell] = value;
      this.results[cell] = Number.isFinite(value) ? 0 : NaN;
      return;
    }
    const mean = this.#means[cell] ?? 0;
    const distance = value - mean;
    const next = mean + distance / count;
    this.#means[cell] = next;
    this.results[cell] = (this.results[cell] ?? 0) + distance * (value - next);
  }

  protected override resultOf(cell: number): number {
    return (this.results[cell] ?? NaN) / (this.counts[cell] ?? 0);
  }
}

class DeviationFold extends VarianceFold {
  protected override resultOf(cell: number): number {
    return Math.sqrt(super.resultOf(cell));
  }
}

const folds: Readonly<Record<FoldOp, new (cells: number) => CellFold>> = {
  sum: SumFold,
  avg: AverageFold,
  min: LowestFold,
  max: HighestFold,
  count: CountFold,
  group: GroupFold,
  stddev: DeviationFold,
  stdvar: VarianceFold,
};

export function newFold(op: FoldOp, cells: number): CellFold {
  return new folds[op](cells);
}
