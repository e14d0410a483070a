/** Rows in the order that Prometheus gives series. */
import { expect } from 'chai';

import { ColumnBuilder } from '../../src/promql/labels/column.js';
import { LabelTable } from '../../src/promql/labels/label-table.js';
import { rowsInOrder } from '../../src/promql/labels/row-order.js';
import { Random, testSeed } from '../support/random.js';

const keys = ['a', 'b', 'c', 'd'];
const texts = ['', '', 'x', 'y', 'xy', 'é', '\u{1f600}', '\ufffd'];

type Row = readonly (readonly [key: string, text: string])[];

function tableOf(rows: readonly Row[]): LabelTable {
  let table = LabelTable.none(rows.length);
  for (const key of keys) {
    const builder = new ColumnBuilder(rows.length);
    rows.forEach((row, place) => {
      builder.set(place, builder.codeOf(row.find(([own]) => own === key)?.[1] ?? ''));
    });
    table = table.with(key, builder.finish());
  }
  return table;
}

/** Pair by pair, by bytes. */
function compare(a: Row, b: Row): number {
  const [left, right] = [a.flat(), b.flat()];
  for (let i = 0; i < Math.min(left.length, right.length); i += 1) {
    const order = Buffer.compare(Buffer.from(left[i] ?? ''), Buffer.from(right[i] ?? ''));
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

describe(`order of series, seed ${testSeed}`, () => {
  it('is that of their labels, pair by pair', () => {
    const random = new Random(testSeed);
    for (let round = 0; round < 200; round += 1) {
      const rows: Row[] = Array.from({ length: random.below(30) }, () =>
        keys.map((key) => [key, random.pick(texts)] as const).filter(([, text]) => text !== ''),
      );
      const found = [...rowsInOrder(tableOf(rows))].map((row) => rows[row] ?? []);
      expect(found).to.deep.equal([...rows].sort(compare));
    }
  });
});
