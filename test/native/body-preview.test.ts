/** The ends of lines that the command line finds are those of the addon. */
import { text as textOf } from 'node:stream/consumers';

import { assert } from 'chai';

import { databaseTime } from '../../src/common/model/timestamp-unit.js';
import { lineBatches } from '../../src/cli/loading/line-batches.js';
import { quotedEnds } from '../../src/cli/loading/line-ends.js';
import { openNativePreview } from '../../src/storage/native-storage.js';

import { Random, testSeed } from '../support/random.js';
import { addonPath } from './addon.js';

const form = { kind: 'influx', separator: '.', labels: [], at: databaseTime(5n) } as const;
const parts = [
  'm',
  ',k=',
  ' f=',
  '="',
  '"',
  '\\',
  '\\"',
  '\n',
  '\n',
  ' ',
  ',',
  '1',
  '#',
  '\r',
  '-',
];

/** The samples of a body, as lines of JSON. */
async function samplesOf(body: Uint8Array): Promise<string> {
  const options = { precision: 'ms', unit: 'ms', isLenient: true, format: form } as const;
  const reader = openNativePreview({ report: 'preview', ...options, body }, addonPath);
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (let piece = await reader.next(); piece !== null; piece = await reader.next()) yield piece;
  }
  return textOf(pieces());
}

describe('line protocol cut into bodies', () => {
  it(`has the samples of the whole (seed ${String(testSeed)})`, async () => {
    const random = new Random(testSeed);
    let compared = 0;
    for (let times = 0; times < 800; times += 1) {
      let text = '';
      for (let count = random.below(40); count > 0; count -= 1) {
        const isLine = random.below(4) === 0;
        text += isLine ? 'm s="a\nb",f=1 7\n' : (parts[random.below(parts.length)] ?? '');
      }
      async function* source(): AsyncGenerator<Buffer> {
        yield await Promise.resolve(Buffer.from(text));
      }
      const refused: number[] = [];
      const refuse = (line: number): number => refused.push(line);
      const rules = { bytes: 1, lines: Infinity, ends: quotedEnds, refuse };
      let made = '';
      for await (const { bytes } of lineBatches(source(), { offset: 0, line: 0 }, rules)) {
        made += await samplesOf(bytes);
      }
      if (refused.length > 0) continue;
      compared += 1;
      assert.strictEqual(made, await samplesOf(Buffer.from(text)), JSON.stringify(text));
    }
    assert.isAbove(compared, 100);
  });
});
