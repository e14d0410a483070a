import { assert } from 'chai';

import { CsvReader, type SourceRow } from '../../src/common/tables/csv-reader.js';
import { TableFault } from '../../src/common/tables/table-fault.js';
import { Random, testSeed } from '../support/random.js';

/** All records of the bytes, fed in pieces of random sizes. */
function readIn(bytes: Buffer, random: Random): SourceRow[] {
  const reader = new CsvReader(',');
  const records: SourceRow[] = [];
  for (let at = 0; at < bytes.length;) {
    const size = 1 + random.below(random.chance(0.5) ? 4 : 60);
    records.push(...reader.read(bytes.toString('latin1', at, at + size)));
    at += size;
  }
  return [...records, ...reader.finish()];
}

const whole = (bytes: Buffer): SourceRow[] => {
  const reader = new CsvReader(',');
  return [...reader.read(bytes.toString('latin1')), ...reader.finish()];
};

const parts = ['', 'a', '"', ',', '\n', '\r', '\r\n', 'ü€😀', ' ', '""', 'xyz', '\ufeff', '\u0000'];

/** A cell and its text; an empty one is null without quotes. */
function anyCell(random: Random): readonly [string | null, string] {
  const text = Array.from({ length: random.below(4) }, () => random.pick(parts)).join('');
  const mustQuote = /[",\r\n\ufeff]/.test(text);
  if (mustQuote || random.chance(0.3)) return [text, `"${text.replaceAll('"', '""')}"`];
  return [text === '' ? null : text, text];
}

describe('the reader of comma-separated values', () => {
  it(`gives what was written, whatever the pieces (seed ${String(testSeed)})`, () => {
    const random = new Random(testSeed);
    for (let round = 0; round < 300; round += 1) {
      const rows = Array.from({ length: 1 + random.below(8) }, () =>
        Array.from({ length: 1 + random.below(5) }, () => anyCell(random)),
      );
      const ending = random.pick(['\n', '\r\n']);
      const lines = rows.map((row) => row.map(([, text]) => text).join(','));
      const last = lines.at(-1) === '' || random.chance(0.5) ? ending : '';
      const bytes = Buffer.from(lines.join(ending) + last);
      const records = readIn(bytes, random);
      assert.deepEqual(
        records.map(({ cells }) => cells),
        rows.map((row) => row.map(([cell]) => cell)),
      );
      let line = 1;
      records.forEach((record, at) => {
        assert.isNull(record.fault);
        assert.strictEqual(record.source, line);
        line += (lines[at] ?? '').split('\n').length;
      });
    }
  });

  it(`takes any bytes, in pieces as at once (seed ${String(testSeed)})`, () => {
    const random = new Random(testSeed);
    const alphabet = Buffer.from('a,"\r\n\xef\xbb\xbf\xfc ', 'latin1');
    const outcome = (read: () => SourceRow[]): unknown => {
      try {
        return read();
      } catch (error) {
        if (!(error instanceof TableFault)) throw error;
        return error.message;
      }
    };
    for (let round = 0; round < 5_000; round += 1) {
      const bytes = Buffer.from(
        Array.from(
          { length: random.below(30) },
          () => alphabet[random.below(alphabet.length)] ?? 0,
        ),
      );
      const pieces = outcome(() => readIn(bytes, random));
      const atOnce = outcome(() => whole(bytes));
      // Records before a quote that is never closed come out of the pieces, and then the failure.
      assert.deepEqual(pieces, atOnce);
    }
  });

  it('reads a cell of many pieces in a time that grows with its length only', () => {
    const reader = new CsvReader(',');
    const piece = 'a""b,\n'.repeat(700);
    const records = reader.read('x,"');
    for (let at = 0; at < 4_000; at += 1) records.push(...reader.read(piece));
    records.push(...reader.read('"\n1,2\n'), ...reader.finish());
    assert.strictEqual(records.length, 2);
    assert.strictEqual(records[0]?.cells[1]?.length, 4_000 * 700 * 5);
    assert.deepEqual(records[1], { cells: ['1', '2'], source: 4_000 * 700 + 2, fault: null });
    const endless = new CsvReader(',');
    endless.read('"');
    assert.throws(() => {
      for (let at = 0; at < 20; at += 1) endless.read('a'.repeat(8 * 1024 * 1024));
    }, /line 1 is too long, or its end is missing/);
  });
});
