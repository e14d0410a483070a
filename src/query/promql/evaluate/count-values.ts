/** count_values("label", …): counts the rows per value in a group. */

import { AppError } from '../../../common/errors/app-error.js';
import { goQuote } from '../syntax/quote.js';
import { ColumnBuilder } from '../labels/column.js';
import { isLabelName } from '../labels/label-table.js';
import { firstRows, groupLabels, rowIds } from '../labels/row-ids.js';
import { eachRow } from '../vectors/context.js';
import { numberText } from '../print/number-texts.js';
import { vectorOf, type VectorValue } from '../vectors/value.js';

import type { AskedAggregation, EvaluationContext } from '../vectors/context.js';

export async function countValues(asked: AskedAggregation): Promise<VectorValue> {
  const { aggregation, frame, evaluate } = asked;
  const { guard } = evaluate.context;
  const key = await labelOf(asked);
  const rows = await evaluate.vector(aggregation.of, frame);
  const { sources, column, pairOf } = await valuesOfRows(evaluate.context, rows);
  evaluate.context.cells.require(sources.length);
  const labels = (await rows.labels.pick(sources, guard)).with(key, column);
  const { isWithout } = aggregation;
  const keys = isWithout ? aggregation.labels : [...aggregation.labels, key];
  const grouped = groupLabels(labels, { isWithout, labels: keys });
  const ids = await rowIds(grouped, guard);
  const steps = frame.count;
  const values = evaluate.context.cells.make(ids.count * steps);
  const present = new Uint8Array(values.length);
  evaluate.context.cells.giveBack(rows.values);
  await eachRow(evaluate.context, { rowCount: rows.labels.rowCount, steps }, (row) => {
    for (let step = 0; step < steps; step += 1) {
      const pair = pairOf[row * steps + step] ?? 0;
      if (pair === 0) continue;
      const into = (ids.ids[pair - 1] ?? 0) * steps + step;
      values[into] = (values[into] ?? 0) + 1;
      present[into] = 1;
    }
  });
  const picked = await grouped.pick(await firstRows(ids, guard), guard);
  return vectorOf({ labels: picked, values, present, dropsName: null });
}

async function labelOf({ aggregation, frame, evaluate }: AskedAggregation): Promise<string> {
  const { parameter } = aggregation;
  const value = parameter === null ? null : await evaluate.value(parameter, frame);
  const key = value?.kind === 'string' ? value.text : '';
  if (!isLabelName(key)) {
    throw new AppError('execution_error', `invalid label name ${goQuote(key)}`);
  }
  return key;
}

/** A text is as much work as so many cells. */
const kCellsOfText = 15;

/**
 * The distinct values per row: `sources` has the row, `column` the text. `pairOf`: per cell, the
 * index of its value plus one; 0 without a value.
 */
interface ValuesOfRows {
  readonly sources: Uint32Array;
  readonly column: ReturnType<ColumnBuilder['finish']>;
  readonly pairOf: Uint32Array;
}

async function valuesOfRows(
  context: EvaluationContext,
  { labels, values, present }: VectorValue,
): Promise<ValuesOfRows> {
  const steps = labels.rowCount === 0 ? 1 : values.length / labels.rowCount;
  const sources: number[] = [];
  const codes: number[] = [];
  const texts = new ColumnBuilder(0, context.guard.texts);
  const pairOf = new Uint32Array(values.length);
  // A row may have millions of cells, each with a text of its own: every cell may be a pause.
  let known = new Map<number | string, number>();
  await eachRow(context, { rowCount: values.length, steps: kCellsOfText }, (cell) => {
    if (cell % steps === 0) known = new Map();
    if (present !== null && present[cell] !== 1) return;
    const value = values[cell] ?? NaN;
    // -0 has another text than 0, but would be the same Map key.
    const key = Object.is(value, -0) ? '-0' : value;
    let pair = known.get(key);
    if (pair === undefined) {
      codes.push(texts.codeOf(numberText(value)));
      known.set(key, (pair = sources.push(Math.floor(cell / steps))));
    }
    pairOf[cell] = pair;
  });
  const column = texts.finish().withCodes(new Uint32Array(codes));
  return { sources: new Uint32Array(sources), column, pairOf };
}
