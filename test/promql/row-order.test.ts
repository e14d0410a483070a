/** The order of rows is that of Prometheus. */
import { expect } from 'chai';

import { ColumnBuilder, LabelColumn } from '../../src/query/promql/labels/column.js';
import { LabelTable } from '../../src/query/promql/labels/label-table.js';
import { rowsInOrder } from '../../src/query/promql/labels/row-order.js';
import { Guard } from '../../src/query/limits/guard.js';
import { compareText } from '../../src/query/values/value.js';
import { roomyLimits } from '../support/memory-target.js';
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

/** A table in the addon's form: the texts of a column are sorted. */
function orderedTableOf(rows: readonly Row[]): LabelTable {
  const names = tableOf(rows).sortedKeys();
  const ordered = names.map((key) => {
    const own = (row: Row): string => row.find(([name]) => name === key)?.[1] ?? '';
    const all = [...new Set(rows.map(own))].filter((text) => text !== '').sort(compareText);
    return { all, codes: Uint32Array.from(rows, (row) => all.indexOf(own(row)) + 1) };
  });
  return LabelTable.of(rows.length, {
    keys: names,
    texts: ordered.map(({ all }) => new LabelColumn(all, new Uint32Array()).packed),
    codes: ordered.map((column) => column.codes),
  });
}

/** Compares pair by pair, by bytes. */
function compare(a: Row, b: Row): number {
  const [left, right] = [a.flat(), b.flat()];
  for (let i = 0; i < Math.min(left.length, right.length); i += 1) {
    const order = Buffer.compare(Buffer.from(left[i] ?? ''), Buffer.from(right[i] ?? ''));
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

describe(`order of series, seed ${testSeed}`, () => {
  it('follows their labels, pair by pair', async () => {
    const random = new Random(testSeed);
    for (let round = 0; round < 200; round += 1) {
      const rows: Row[] = Array.from({ length: random.below(30) }, () =>
        keys.map((key) => [key, random.pick(texts)] as const).filter(([, text]) => text !== ''),
      );
      for (const table of [tableOf(rows), orderedTableOf(rows)]) {
        const found = [...(await rowsInOrder(table, new Guard(roomyLimits)))].map(
          (row) => rows[row] ?? [],
        );
        expect(found).to.deep.equal([...rows].sort(compare));
      }
    }
  });
});
