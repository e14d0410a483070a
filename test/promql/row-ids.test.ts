/** Rows with the same labels have the same number, however many texts there are. */
import { expect } from 'chai';

import { LabelColumn } from '../../src/query/promql/labels/column.js';
import { LabelTable } from '../../src/query/promql/labels/label-table.js';
import { rowIds } from '../../src/query/promql/labels/row-ids.js';
import { Guard } from '../../src/query/limits/guard.js';
import { roomyLimits } from '../support/memory-target.js';
import { Random, testSeed } from '../support/random.js';

function randomTable(random: Random): LabelTable {
  const rowCount = random.below(random.chance(0.5) ? 20 : 5000);
  const columns = new Map<string, LabelColumn>();
  for (let key = random.below(5); key > 0; key -= 1) {
    const textCount = random.pick([1, 3, 70, 2000, 5000]);
    const texts = Array.from({ length: textCount }, (_, text) => `t${text}`);
    const codes = Uint32Array.from({ length: rowCount }, () => random.below(textCount + 1));
    columns.set(`k${key}`, new LabelColumn(texts, codes));
  }
  return new LabelTable(rowCount, columns);
}

describe(`row numbers by labels, seed ${testSeed}`, () => {
  it('equal those by label text, in the order of first rows', async () => {
    const random = new Random(testSeed);
    for (let round = 0; round < 120; round += 1) {
      const labels = randomTable(random);
      const known = new Map<string, number>();
      const expected = Array.from({ length: labels.rowCount }, (_, row) => {
        const text = labels.describe(row);
        const id = known.get(text) ?? known.size;
        known.set(text, id);
        return id;
      });
      const { ids, count } = await rowIds(labels, new Guard(roomyLimits));
      expect([...ids]).to.deep.equal(expected);
      expect(count).to.equal(known.size);
    }
  });
});
