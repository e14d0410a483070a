import { assert } from 'chai';

import { SampleReader } from '../../src/client/sample-reader.js';

import { Random, testSeed } from '../support/random.js';

import type { Sample } from '../../src/client/client.js';

function readAll(pieces: readonly string[]): Sample[] {
  const reader = new SampleReader();
  const samples = pieces.flatMap((piece) => reader.read(piece));
  reader.finish();
  return samples;
}

describe('the reader of range answers', () => {
  const text =
    '[{"ts":-9223372036854775808,"value":-0},{"ts":9007199254740993,"value":1e-7},' +
    '{"ts":9223372036854775807,"value":null},{"ts":9223372036854775807,"value":1.7976931348623157e308}]';
  const samples: Sample[] = [
    { ts: -(2n ** 63n), value: -0 },
    { ts: 2n ** 53n + 1n, value: 1e-7 },
    { ts: 2n ** 63n - 1n, value: null },
    { ts: 2n ** 63n - 1n, value: Number.MAX_VALUE },
  ];

  it('gives the same samples wherever the text is cut', () => {
    for (let at = 0; at <= text.length; at += 1) {
      assert.deepEqual(readAll([text.slice(0, at), text.slice(at)]), samples);
    }
    assert.deepEqual(readAll(text.split('')), samples);
    assert.isTrue(Object.is(readAll([text])[0]?.value, -0));
  });

  it(`gives the same samples for random cuts of long answers (seed ${String(testSeed)})`, () => {
    const random = new Random(testSeed);
    const many = Array.from(
      { length: 2000 },
      (_, at) => `{"ts":${String(at)},"value":${String(at / 7)}}`,
    );
    const long = `[${many.join(',')}]`;
    const pieces: string[] = [];
    for (let at = 0; at < long.length;) {
      const next = at + 1 + random.below(300);
      pieces.push(long.slice(at, next));
      at = next;
    }
    const read = readAll(pieces);
    assert.strictEqual(read.length, many.length);
    read.forEach(({ ts, value }, at) => {
      assert.isTrue(ts === BigInt(at) && value === at / 7);
    });
  });

  it('reads an empty list, in one piece and in two', () => {
    assert.deepEqual(readAll(['[]']), []);
    assert.deepEqual(readAll(['[', ']']), []);
  });

  const refused = [
    '',
    '[',
    '[{"ts":1,"value":2}',
    '[{"ts":1,"value":2},',
    '[{"ts":1',
    '{}',
    'null',
  ];
  for (const one of [...refused, '[]]', '[{"ts":1,"value":2}]x', `[${' '.repeat(100)}]`]) {
    it(`refuses ${JSON.stringify(one.slice(0, 30))}`, () => {
      assert.throws(() => readAll([one]), /samples|list/);
      assert.throws(() => readAll(one.split('')), /samples|list/);
    });
  }
});
