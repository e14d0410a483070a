/** Window functions over the rows of one series, in time order. */

import { windowFunctions } from '../functions/window-functions.js';
import { makesText } from '../plan/check/expr.js';
import { inTurns } from '../../limits/turns.js';

import type { Value } from '../../values/value.js';
import type { Evaluator, Row } from '../plan/evaluate.js';
import type { Window } from '../plan/plan.js';
import type { Guard } from '../../limits/guard.js';

/** Adds the value of every window to the rows. A window may read the earlier ones. */
export async function withWindows(
  rows: readonly Row[],
  windows: readonly Window[],
  how: { readonly evaluator: Evaluator; readonly guard: Guard; readonly unitsPerSecond: number },
): Promise<readonly Row[]> {
  const { evaluator, guard, unitsPerSecond } = how;
  const computed: Value[][] = [];
  const wide: Row[] = [];
  await inTurns(guard, rows, (row) => {
    const added: Value[] = [];
    computed.push(added);
    wide.push({ ...row, windows: added });
  });
  for (const window of windows) {
    const values: Value[] = [];
    const isMade = makesText(window.argument);
    await inTurns(guard, wide, (row) => {
      const value = evaluator.evaluate(window.argument, row);
      if (isMade) guard.texts.replace(null, value);
      values.push(value);
    });
    const { evaluate } = windowFunctions[window.name];
    const next = evaluate({ values, rows, extent: window, unitsPerSecond });
    await inTurns(guard, computed, (added, at) => added.push(next(at)));
  }
  return wide;
}
