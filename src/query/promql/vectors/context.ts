/** The environment of an evaluation. */

import type { Milliseconds } from '../../../common/model/timestamp-unit.js';
import type { Guard } from '../../limits/guard.js';
import type { SeriesFilter, StepQuery, StepTable } from '../../../storage/storage.js';
import type { SeriesMatcher } from '../../../common/model/series-matcher.js';
import type { Aggregation, PromqlBinary, PromqlCall, PromqlExpression } from '../syntax/ast.js';
import type { Annotations } from './annotations.js';
import type { CellAccount } from './cells.js';
import type { StepFrame, PromqlValue, VectorValue } from './value.js';

/** The number of values that a query holds, and its limit. */
export type HeldCells = Pick<CellAccount, 'held' | 'max'>;

/** The source of samples. */
export interface StepSource {
  /** True if it aggregates rows itself on request. */
  readonly folds: boolean;
  /** The series that match all matchers. */
  select(matchers: readonly SeriesMatcher[]): Promise<SeriesFilter>;
  /**
   * Reads at most as many cells as the limit leaves beside those held. Each read is limited
   * separately.
   */
  read(query: StepQuery, cells: HeldCells): Promise<StepTable>;
  /** True if the metric was declared as a counter. */
  isCounter(metric: string): Promise<boolean>;
}

export interface EvaluationSettings {
  /** The oldest age of a selector's sample. */
  readonly lookbackMs: Milliseconds;
  /** The default step of subqueries. */
  readonly subqueryStepMs: Milliseconds;
}

/** If the step does not divide the range, the end lies after its last step. */
export interface WholeRange extends StepFrame {
  readonly end: Milliseconds;
}

export interface EvaluationContext extends EvaluationSettings {
  readonly source: StepSource;
  readonly guard: Guard;
  readonly cells: CellAccount;
  readonly notes: Annotations;
  /** The frame of the whole query, for start(), end() and step(). */
  readonly whole: WholeRange;
}

/** Evaluates nested expressions. */
export interface Evaluate {
  readonly context: EvaluationContext;
  value(expression: PromqlExpression, frame: StepFrame): Promise<PromqlValue>;
  vector(expression: PromqlExpression, frame: StepFrame): Promise<VectorValue>;
  /** One value per step. */
  scalar(expression: PromqlExpression, frame: StepFrame): Promise<Float64Array>;
}

export interface AskedCall {
  readonly call: PromqlCall;
  readonly frame: StepFrame;
  readonly evaluate: Evaluate;
}

export interface AskedAggregation {
  readonly aggregation: Aggregation;
  readonly frame: StepFrame;
  readonly evaluate: Evaluate;
}

export interface AskedBinary {
  readonly binary: PromqlBinary;
  readonly frame: StepFrame;
  readonly evaluate: Evaluate;
}

/** The number of cells between two checks whether other work needs a turn. */
const kCellsPerLook = 1 << 13;

/** Counts work, and says when other work may need a turn. */
export class Pace {
  #cells = 0;

  /** Adds `cells`; true if it is time to yield. */
  isDue(cells: number): boolean {
    this.#cells += cells;
    if (this.#cells < kCellsPerLook) return false;
    this.#cells = 0;
    return true;
  }
}

/** Calls `work` for each row, and yields to other work in between. */
export async function eachRow(
  { guard }: EvaluationContext,
  { rowCount, steps }: { readonly rowCount: number; readonly steps: number },
  work: (row: number) => void,
): Promise<void> {
  const pace = new Pace();
  for (let row = 0; row < rowCount; row += 1) {
    work(row);
    if (pace.isDue(steps + 1) || guard.isTextDue) await guard.breathe();
  }
}
