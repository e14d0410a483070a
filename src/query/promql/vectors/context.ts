/** What an evaluation has around it. */

import type { Guard } from '../../limits/guard.js';
import type { SeriesFilter, StepQuery, StepTable } from '../../../storage/storage.js';
import type { SeriesMatcher } from '../../../common/model/series-matcher.js';
import type { Aggregation, Binary, Call, Expression } from '../syntax/ast.js';
import type { Annotations } from './annotations.js';
import type { Cells } from './cells.js';
import type { Frame, Value, VectorValue } from './value.js';

/** How many values are held of a query, and may be. */
export type HeldCells = Pick<Cells, 'held' | 'max'>;

/** Where samples come from. */
export interface StepSource {
  /** Whether it adds rows up itself, where a query says so. */
  readonly folds: boolean;
  /** The series that all of these mean. */
  select(matchers: readonly SeriesMatcher[]): Promise<SeriesFilter>;
  /** Of no more cells than may be held beside what is, each read for itself. */
  read(query: StepQuery, cells: HeldCells): Promise<StepTable>;
  /** Whether the metric was declared to be one that only grows. */
  isCounter(metric: string): Promise<boolean>;
}

export interface EvaluationSettings {
  /** How old the sample of a selector may be. */
  readonly lookbackMs: number;
  /** The step of subqueries that have none. */
  readonly subqueryStepMs: number;
}

/** The end of a range lies behind its last step where the step does not divide it. */
export interface WholeRange extends Frame {
  readonly end: number;
}

export interface EvaluationContext extends EvaluationSettings {
  readonly source: StepSource;
  readonly guard: Guard;
  readonly cells: Cells;
  readonly notes: Annotations;
  /** Of the whole query: what start(), end() and step() stand for. */
  readonly whole: WholeRange;
}

/** What evaluates expressions inside of others. */
export interface Evaluate {
  readonly context: EvaluationContext;
  value(expression: Expression, frame: Frame): Promise<Value>;
  vector(expression: Expression, frame: Frame): Promise<VectorValue>;
  /** One for each step. */
  scalar(expression: Expression, frame: Frame): Promise<Float64Array>;
}

export interface AskedCall {
  readonly call: Call;
  readonly frame: Frame;
  readonly evaluate: Evaluate;
}

export interface AskedAggregation {
  readonly aggregation: Aggregation;
  readonly frame: Frame;
  readonly evaluate: Evaluate;
}

export interface AskedBinary {
  readonly binary: Binary;
  readonly frame: Frame;
  readonly evaluate: Evaluate;
}

/** Cells between two looks whether others should have their turn. */
const kCellsPerLook = 1 << 15;

/** Tells after how much work others may want their turn. */
export class Pace {
  #cells = 0;

  /** Whether it is time, with so many cells more. */
  isDue(cells: number): boolean {
    this.#cells += cells;
    if (this.#cells < kCellsPerLook) return false;
    this.#cells = 0;
    return true;
  }
}

/** Calls `work` for each row, and gives way to others between them. */
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
