import { assert } from 'chai';

import { objectTexts } from '../../../src/query/seriesql/execute/json-texts.js';

import type { ByteStream } from '../../../src/storage/storage.js';

/** The text in pieces of so many bytes. */
function streamOf(text: string, pieceSize: number): ByteStream {
  const bytes = Buffer.from(text);
  let at = 0;
  return {
    next: () => {
      const piece = bytes.subarray(at, at + pieceSize);
      at += piece.length;
      return Promise.resolve(piece.length === 0 ? null : piece);
    },
    close: () => undefined,
  };
}

describe('the JSON objects of a list', () => {
  const objects = ['{}', '{"a":{"b":[{}]}}', String.raw`{"q\\\"}":"{","é":"\\"}`, '{"x":1}'];
  const list = `[${objects.join(',')}]`;

  it('are found however the text is split', async () => {
    for (let size = 1; size <= list.length + 1; size++) {
      const found: string[] = [];
      for await (const text of objectTexts(streamOf(list, size))) found.push(text);
      assert.deepEqual(found, objects);
    }
  });

  it('yield to others after each object that takes its reader long', async () => {
    let turns = 0;
    let isDone = false;
    const takeTurn = (): void => {
      turns += 1;
      if (!isDone) setImmediate(takeTurn);
    };
    setImmediate(takeTurn);
    const seen: number[] = [];
    for await (const text of objectTexts(streamOf(list, list.length * 2))) {
      assert.include(objects, text);
      seen.push(turns);
      for (const start = performance.now(); performance.now() < start + 2;);
    }
    isDone = true;
    assert.lengthOf(seen, objects.length);
    for (const [at, count] of seen.entries()) assert.isAtLeast(count, at);
  });
});
