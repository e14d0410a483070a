/** Expressions that the addon answers completely: it reads, aggregates, compares and prints. */

import { milliseconds, type Milliseconds } from '../../../common/model/timestamp-unit.js';
import { unwrapped } from '../functions/arguments.js';
import { durationMs, lengthMs } from '../vectors/durations.js';
import { requireNear } from '../vectors/leaf.js';
import { comparedLeafOf, silentLeafOf } from './compared-leaf.js';

import type { StepAnswer } from '../../../storage/storage.js';
import type { SeriesMatcher } from '../../../common/model/series-matcher.js';
import type { PromqlExpression } from '../syntax/ast.js';
import type { StepFrame } from '../vectors/value.js';

type Of<Part extends keyof StepAnswer> = Pick<StepAnswer, Part>;

interface WholeLeaf extends Of<'fn' | 'fold' | 'kept' | 'window' | 'offset' | 'hidesMetadata'> {
  readonly matchers: readonly SeriesMatcher[];
}

/**
 * Null if the answer needs annotations, or further work on its rows. Throws `execution_error` for a
 * time that is out of range.
 */
export function wholeLeafOf(
  expression: PromqlExpression,
  { start }: StepFrame,
  lookbackMs: Milliseconds,
): WholeLeaf | null {
  const inner = unwrapped(expression);
  const rows = inner.kind === 'binary' ? comparedLeafOf(inner) : silentLeafOf(inner);
  const plain = rows?.leaf.plain;
  if (!rows || !plain || plain.selector.at !== null) return null;
  const { selector, fn, range, dropsName } = plain;
  const window = range === null ? lookbackMs : lengthMs(range);
  const offset = selector.offset === null ? milliseconds(0) : durationMs(selector.offset);
  requireNear({ start, offset, window });
  return {
    matchers: selector.matchers,
    fn,
    fold: rows.fold,
    kept: rows.kept,
    window,
    offset,
    hidesMetadata: dropsName,
  };
}
