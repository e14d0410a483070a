import { Readable } from 'node:stream';

import { assert } from 'chai';

import { openStream } from '../../src/cli/loading/input.js';

/** The text read from a stream that arrives byte by byte. */
async function read(bytes: Buffer): Promise<string> {
  const stream = Readable.from(Array.from(bytes, (byte) => Buffer.from([byte])));
  const { signal } = new AbortController();
  const pieces: Buffer[] = [];
  for await (const piece of openStream(stream, { name: '-', signal }).bytes) pieces.push(piece);
  return Buffer.concat(pieces).toString('latin1');
}

describe('an input', () => {
  it('is read without its byte order mark, however it is split', async () => {
    for (const [text, expected] of [
      ['\ufeffa\n', 'a\n'],
      ['\ufeff', ''],
      ['', ''],
      ['a', 'a'],
      ['a\ufeff', 'a\xef\xbb\xbf'],
      ['\ufeff\ufeff', '\xef\xbb\xbf'],
    ] as const) {
      assert.strictEqual(await read(Buffer.from(text)), expected, JSON.stringify(text));
    }
    assert.strictEqual(await read(Buffer.from('\xef\xbb', 'latin1')), '\xef\xbb');
  });
});
