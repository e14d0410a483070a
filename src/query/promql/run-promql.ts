/** Runs PromQL from a parsed text to its value. */

import { AppError } from '../../common/errors/app-error.js';
import { PromqlEvaluator } from './evaluate/evaluator.js';
import { kNameKey, metadataKeys } from './labels/label-table.js';
import { textPlace } from './syntax/text-place.js';
import { typeOf } from './syntax/type-of.js';
import { Annotations } from './vectors/annotations.js';
import { CellAccount } from './vectors/cells.js';
import { mergeSame, type StepFrame, type PromqlValue, type VectorValue } from './vectors/value.js';

import type { Milliseconds } from '../../common/model/timestamp-unit.js';
import type { Guard } from '../limits/guard.js';
import type { PromqlExpression } from './syntax/ast.js';
import type { EvaluationContext, EvaluationSettings, StepSource } from './vectors/context.js';

export interface PromqlSettings extends EvaluationSettings {
  /** The most values held at a time. */
  readonly maxCells: number;
}

interface AskedPromql {
  readonly text: string;
  /** The tree of the text, from parsePromql(). */
  readonly expression: PromqlExpression;
  readonly frame: StepFrame;
  /** The end of the range. The last step may lie before it. */
  readonly end: Milliseconds;
  /** True for a query at one time, which may also return a range or a string. */
  readonly isInstant: boolean;
  readonly settings: PromqlSettings;
  readonly source: StepSource;
  readonly guard: Guard;
}

export interface PromqlResult {
  readonly value: PromqlValue;
  readonly warnings: readonly string[];
  readonly infos: readonly string[];
  /** The most values held at a time. */
  readonly cellsMost: number;
}

/**
 * Throws `validation_failed` if the type cannot be evaluated at steps, `execution_error`, and the
 * error that ends a query.
 */
export async function runPromql(asked: AskedPromql): Promise<PromqlResult> {
  const { text, expression, frame, settings, source, guard } = asked;
  if (!asked.isInstant) requireSteppable(expression);
  const notes = new Annotations(({ start }) => textPlace(text, start));
  const { lookbackMs, subqueryStepMs, maxCells } = settings;
  const cells = new CellAccount(maxCells);
  const context: EvaluationContext = {
    lookbackMs,
    subqueryStepMs,
    source,
    guard,
    cells,
    notes,
    whole: { ...frame, end: asked.end },
  };
  const value = await new PromqlEvaluator(context).value(expression, frame);
  const { warnings, infos } = notes;
  const named = value.kind === 'vector' ? await withNamesDropped(value, guard) : value;
  return { value: named, warnings, infos, cellsMost: context.cells.most };
}

function requireSteppable(expression: PromqlExpression): void {
  const type = typeOf(expression);
  if (type === 'scalar' || type === 'vector') return;
  const words = type === 'matrix' ? 'range vector' : type;
  const message = `invalid expression type "${words}" for range query`;
  throw new AppError('validation_failed', `${message}, must be Scalar or instant Vector`);
}

/** Drops names at the end, so that rows can be told apart by them until then. */
async function withNamesDropped(vector: VectorValue, guard: Guard): Promise<VectorValue> {
  const { labels, dropsName } = vector;
  const hasNames =
    labels.columns.has(kNameKey) || metadataKeys.some((key) => labels.columns.has(key));
  if (dropsName === null || !hasNames) return mergeSame(vector, guard);
  const isAll = !dropsName.includes(0);
  const named = isAll
    ? labels.without(metadataKeys)
    : await labels.clear(metadataKeys, dropsName, guard);
  return mergeSame({ ...vector, labels: named, dropsName: null }, guard);
}
