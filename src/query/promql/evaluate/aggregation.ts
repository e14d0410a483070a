/** Aggregates the rows of each group into one: `sum by (host) (…)`. */

import { inSpans, type Pauses } from '../../limits/turns.js';
import { chosenRows } from './chosen-rows.js';
import { eachRow, type AskedAggregation } from '../vectors/context.js';
import { countValues } from './count-values.js';
import { newFold, type FoldOp } from './folds.js';
import { foldedLeaf } from './folded-leaf.js';
import { groupingOf, groupsOf, type RowGroups } from './groups.js';
import { quantileOfGroups } from './group-quantile.js';
import { stepsOf, vectorOf, withoutEmptyRows, type VectorValue } from '../vectors/value.js';

import type { Aggregation } from '../syntax/ast.js';
import type { EvaluationContext } from '../vectors/context.js';

export async function evaluateAggregation(asked: AskedAggregation): Promise<VectorValue> {
  const { aggregation, frame, evaluate } = asked;
  switch (aggregation.op) {
    case 'topk':
    case 'bottomk':
    case 'limitk':
    case 'limit_ratio':
      return chosenRows(asked);
    case 'quantile':
      return quantileOfGroups(asked);
    case 'count_values':
      return countValues(asked);
    default: {
      const folded = await foldedLeaf(asked);
      if (folded !== null) return folded;
      const rows = await evaluate.vector(aggregation.of, frame);
      return foldRows(evaluate.context, rows, aggregation);
    }
  }
}

async function foldRows(
  context: EvaluationContext,
  rows: VectorValue,
  aggregation: Aggregation & { readonly op: FoldOp | Aggregation['op'] },
): Promise<VectorValue> {
  const { labels, values, present } = rows;
  const groups = await groupsOf(rows, groupingOf(aggregation), context.guard);
  const steps = stepsOf(rows);
  context.cells.require(groups.count * steps);
  const fold = newFold(aggregation.op as FoldOp, groups.count * steps);
  await eachRow(context, { rowCount: labels.rowCount, steps }, (row) => {
    const into = (groups.ids[row] ?? 0) * steps;
    fold.addRow({ values, present, from: row * steps, into, steps });
  });
  const folded = await fold.finish(context.guard);
  context.cells.adopt(folded.values);
  context.cells.giveBack(values);
  const { dropsName } = rows;
  return withoutEmptyRows(
    vectorOf({
      labels: groups.labels,
      ...folded,
      dropsName: dropsName === null ? null : await droppedGroups(groups, dropsName, context.guard),
    }),
    context.guard,
  );
}

/** A group drops its name if any of its rows does. */
async function droppedGroups(
  { ids, count }: RowGroups,
  dropsName: Uint8Array,
  pauses: Pauses,
): Promise<Uint8Array> {
  const dropped = new Uint8Array(count);
  await inSpans(pauses, { count: ids.length }, (from, to) => {
    for (let row = from; row < to; row += 1) if (dropsName[row] === 1) dropped[ids[row] ?? 0] = 1;
  });
  return dropped;
}
