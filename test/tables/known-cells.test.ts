import { assert } from 'chai';

import { CsvReader } from '../../src/common/tables/csv-reader.js';
import { KnownCells } from '../../src/common/tables/known-cells.js';

import { Random, testSeed } from '../support/random.js';

describe('known cells', () => {
  it(`are those of the records that CsvReader finds (seed ${testSeed})`, () => {
    const random = new Random(testSeed);
    const texts = ['a', 'b', 'ä', 'ab', ' ', '\r', 'x'.repeat(70), '', '', 'c'];
    let known = 0;
    for (let round = 0; round < 3000; round += 1) {
      const columns = [0, 1, 2, 3].filter(() => random.chance(0.5));
      const cells = new KnownCells(columns);
      const added = columns.map((column) => {
        const some = new Set(texts.filter((text) => text !== '' && random.chance(0.8)));
        for (const text of some) cells.add(column, text);
        return some;
      });
      const rows = Array.from({ length: random.below(4) }, () =>
        Array.from({ length: random.below(5) }, () => random.pick(texts)).join(','),
      );
      const text = rows.join(random.pick(['\n', '\r\n'])) + random.pick(['', '\n', '\r\n', '\r']);
      const bytes = Buffer.from(text);
      const reader = new CsvReader(',');
      const records = [...reader.read(bytes.toString('latin1')), ...reader.finish()];
      const isKnown = records.every((record) =>
        columns.every((column, index) => {
          const cell = record.cells[column] ?? null;
          return cell === null || added[index]?.has(cell) === true;
        }),
      );
      assert.strictEqual(cells.hasAll(bytes), isKnown, JSON.stringify([text, columns]));
      known += isKnown ? 1 : 0;
    }
    assert.isAbove(known, 100);
  });

  it('are told apart if a thousand of them share places', () => {
    const cells = new KnownCells([1]);
    for (let at = 0; at < 1000; at += 1) cells.add(1, `h${at}`);
    const rows = Array.from({ length: 1000 }, (_, at) => `${at},h${at},1`);
    assert.isTrue(cells.hasAll(Buffer.from(rows.join('\n'))));
    assert.isFalse(cells.hasAll(Buffer.from('1,h1000,1\n')));
  });
});
