import { assert } from 'chai';

import { lineBatches } from '../../src/cli/loading/line-batches.js';
import { recordEnds } from '../../src/cli/loading/line-ends.js';
import { CsvReader } from '../../src/common/tables/csv-reader.js';

import { Random, testSeed } from '../support/random.js';

async function* piecesOf(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) {
    yield await Promise.resolve(bytes.subarray(at, at + size));
  }
}

const start = { offset: 0, line: 0 };
const rules = { lines: Infinity, ends: recordEnds, givesLong: true };

describe('batches of records', () => {
  it(`end where records end, however the text comes (seed ${testSeed})`, async () => {
    const random = new Random(testSeed);
    for (let round = 0; round < 2000; round += 1) {
      const length = random.below(60);
      const marks = ['"', '"', ',', '\n', '\r', 'a', 'ä'];
      const text = Array.from({ length }, () => random.pick(marks)).join('');
      const closed = `${text}${'"'.repeat(random.below(2))}\n`;
      const bytes = Buffer.from(closed);
      const reader = new CsvReader(',');
      let sources: readonly number[];
      try {
        const records = [...reader.read(bytes.toString('latin1')), ...reader.finish()];
        sources = records.map(({ source }) => source);
      } catch {
        continue;
      }
      const batches: string[] = [];
      let [records, line] = [0, 1];
      const source = piecesOf(bytes, 1 + random.below(20));
      for await (const batch of lineBatches(source, start, { ...rules, bytes: random.below(30) })) {
        batches.push(batch.bytes.toString());
        assert.strictEqual(sources[batch.from.line], line, JSON.stringify(closed));
        line += batch.bytes.toString().split('\n').length - 1;
        records += batch.lineCount;
      }
      assert.strictEqual(batches.join(''), closed);
      assert.strictEqual(records, sources.length, JSON.stringify(closed));
    }
  });

  it('take time linear in the bytes of a quote that is never closed', async () => {
    const bytes = Buffer.from(`1,"${'a\n'.repeat(8 << 20)}`);
    const begun = process.cpuUsage();
    let size = 0;
    for await (const batch of lineBatches(piecesOf(bytes, 1000), start, {
      ...rules,
      bytes: 1000,
    })) {
      size += batch.bytes.length;
    }
    assert.strictEqual(size, bytes.length);
    assert.isBelow(process.cpuUsage(begun).user / 1e6, 5);
  });
});
