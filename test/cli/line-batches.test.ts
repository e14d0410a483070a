import { assert } from 'chai';

import {
  halves,
  lineBatches,
  type BatchRules,
  type LineBatch,
} from '../../src/cli/loading/line-batches.js';

import { Random, testSeed } from '../support/random.js';

async function batchesOf(pieces: readonly string[], size: BatchRules): Promise<LineBatch[]> {
  const found: LineBatch[] = [];
  async function* source(): AsyncGenerator<Buffer> {
    for (const piece of pieces) yield await Promise.resolve(Buffer.from(piece));
  }
  for await (const batch of lineBatches(source(), { offset: 0, line: 0 }, size)) found.push(batch);
  return found;
}

describe('batches of lines', () => {
  it(`hold every byte once, whole lines and positions (seed ${String(testSeed)})`, async () => {
    const random = new Random(testSeed);
    for (let times = 0; times < 200; times += 1) {
      const lines = Array.from({ length: random.below(30) }, () => 'x'.repeat(random.below(20)));
      const text = lines.join('\n') + (random.below(2) === 0 ? '\n' : '');
      const pieces: string[] = [];
      for (let at = 0; at < text.length;) {
        const next = at + 1 + random.below(25);
        pieces.push(text.slice(at, next));
        at = next;
      }
      const batches = await batchesOf(pieces, {
        ...{ bytes: 1 + random.below(60), lines: 1 + random.below(40) },
      });
      assert.strictEqual(batches.map(({ bytes }) => bytes.toString()).join(''), text);
      let place = { offset: 0, line: 0 };
      for (const batch of batches) {
        assert.deepEqual(batch.from, place);
        place = batch.to;
        if (batch !== batches.at(-1)) assert.isTrue(batch.bytes.toString().endsWith('\n'));
      }
      const lineCount = text === '' ? 0 : text.replace(/\n$/, '').split('\n').length;
      assert.deepEqual(place, { offset: text.length, line: lineCount });
    }
  });

  it('obey the line limit, except within one piece', async () => {
    const pieces = Array.from({ length: 10 }, () => '\n\n\n');
    const batches = await batchesOf(pieces, { bytes: 1_000, lines: 8 });
    assert.deepEqual(
      batches.map(({ lineCount }) => lineCount),
      [9, 9, 9, 3],
    );
  });

  it('are split between lines, never within a single line', async () => {
    const [batch] = await batchesOf(['a\nbb\nccc\ndddddddddddd\n'], { bytes: 100, lines: 100 });
    assert.isDefined(batch);
    const [first, second] = halves(batch) ?? [];
    assert.strictEqual(first?.bytes.toString(), 'a\nbb\nccc\n');
    assert.deepEqual(second?.from, { offset: 9, line: 3 });
    for (const one of ['abc\n', 'abc']) {
      const [single] = await batchesOf([one], { bytes: 100, lines: 100 });
      assert.isTrue(single !== undefined && halves(single) === null);
    }
  });
});
