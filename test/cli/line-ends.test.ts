/** Batches of line protocol: each line is whole, and an unclosed quote spoils only its own line. */
import { assert } from 'chai';

import { halves, lineBatches, type LineBatch } from '../../src/cli/loading/line-batches.js';
import { quotedEnds } from '../../src/cli/loading/line-ends.js';

import { Random, testSeed } from '../support/random.js';

interface Cut {
  readonly batches: readonly LineBatch[];
  readonly refused: readonly number[];
}

async function cut(pieces: readonly Buffer[], bytes: number): Promise<Cut> {
  const batches: LineBatch[] = [];
  const refused: number[] = [];
  async function* source(): AsyncGenerator<Buffer> {
    for (const piece of pieces) yield await Promise.resolve(piece);
  }
  const rules = {
    bytes,
    lines: Infinity,
    ends: quotedEnds,
    refuse: (n: number) => refused.push(n),
  };
  for await (const batch of lineBatches(source(), { offset: 0, line: 0 }, rules)) {
    batches.push(batch);
  }
  return { batches, refused };
}

/** In pieces of this size. */
function piecesOf(text: string, size: number): Buffer[] {
  const bytes = Buffer.from(text);
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  );
}

const textOf = (batches: readonly LineBatch[]): string =>
  batches.map(({ bytes }) => bytes.toString()).join('');

/** The text after the cut, and the refused lines; equal for each way of cutting. */
async function resultOf(text: string): Promise<[string, readonly number[]]> {
  const { batches, refused } = await cut([Buffer.from(text)], 1 << 20);
  const whole = textOf(batches);
  for (const size of [1, 3, 10]) {
    for (const bytes of [1, 20, 1 << 20]) {
      const other = await cut(piecesOf(text, size), bytes);
      assert.strictEqual(textOf(other.batches), whole);
      assert.deepEqual(other.refused, refused);
    }
  }
  return [whole, refused];
}

const wholeLines = [
  'cpu,host=a load=1 1\n',
  '# a "comment\n',
  '\n',
  'w,c=b t="two\nlines",v=1 1\r\n',
  'w t="a \\" quote\n and =, more",u="x\n\n" -5\n',
  'a\\ "b,c=" d"=1,e="\n"\n',
  'm "k=1,v=x"y,z="in\\\\" 7\n',
  'no field\n',
];

describe('batches of line protocol', () => {
  it(`hold each byte once, and each line whole (seed ${String(testSeed)})`, async () => {
    const random = new Random(testSeed);
    for (let times = 0; times < 300; times += 1) {
      const lines = Array.from(
        { length: random.below(20) },
        () => wholeLines[random.below(wholeLines.length)] ?? '',
      );
      const text = lines.join('');
      const { batches, refused } = await cut(
        piecesOf(text, 1 + random.below(60)),
        1 + random.below(80),
      );
      assert.deepEqual(refused, []);
      assert.strictEqual(textOf(batches), text);
      const ends = new Set<number>();
      lines.reduce((size, line) => {
        ends.add(size + line.length);
        return size + line.length;
      }, 0);
      for (const batch of batches) {
        assert.isTrue(ends.has(batch.to.offset), text.slice(0, batch.to.offset));
        for (const half of halves(batch) ?? []) assert.isTrue(ends.has(half.to.offset));
      }
      assert.strictEqual(batches.at(-1)?.to.line ?? 0, text.split('\n').length - 1);
    }
  });

  it('have the approximate size, and are split in two between lines', async () => {
    const text = 'w t="x\ny" 1\n'.repeat(1000);
    const { batches } = await cut([Buffer.from(text)], 1200);
    assert.deepEqual(new Set(batches.map(({ bytes }) => bytes.length)), new Set([1200]));
    const [first, second] = halves(batches[0] ?? assert.fail()) ?? [];
    assert.deepEqual([first?.bytes.length, second?.from.line], [600, 100]);
    const [single] = (await cut([Buffer.from('w t="x\ny" 1\n')], 1200)).batches;
    assert.isNull(halves(single ?? assert.fail()));
  });

  it('are the same for plain lines, whatever the pieces', async () => {
    const [whole, refused] = await resultOf('a v=1 0\nb v=2 0\nc v=3');
    assert.deepEqual([whole, refused], ['a v=1 0\nb v=2 0\nc v=3', []]);
  });
});

describe('an unclosed quote', () => {
  it('makes its own line a comment, and the following lines are lines', async () => {
    assert.deepEqual(
      await resultOf('a v="open\na value=1 0\nb v="two\nlines",value=2 0\nc v="open\nc value=3 0'),
      ['# v="open\na value=1 0\nb v="two\nlines",value=2 0\n# v="open\nc value=3 0', [1, 5]],
    );
  });

  it('is recognized by what follows the next quote', async () => {
    for (const [text, refused] of [
      ['a v="x\nb v="y"\n', [1]],
      ['a v="x\nb v=" ,w=1 z\n', [1, 2]],
      ['a v="x\nb v=",w\n', [1, 2]],
      ['a v="x\nb v=" 1x\n', [1, 2]],
      ['a v="x\nb v=" 1\n', []],
      ['a v="x\nb v="\n', []],
      // The server refuses such lines, and says why.
      ['a v="x"y\n', []],
      ['a v="x" y\n', []],
    ] as const) {
      assert.deepEqual((await resultOf(text))[1], refused, text);
    }
  });

  it('is given up after a thousand lines or a mebibyte', async () => {
    const lines = 'b value=1 0\n'.repeat(5000);
    const many = await cut(piecesOf(`a v="open\n${lines}`, 4096), 1 << 20);
    assert.deepEqual(many.refused, [1]);
    assert.strictEqual(textOf(many.batches), `# v="open\n${lines}`);
    const wide = await cut([Buffer.from(`a v="\n${'x'.repeat(1 << 20)}\n" 1\nb v=1\n`)], 1 << 22);
    assert.deepEqual(wide.refused, [1]);
  });

  it('costs the same for each byte, however many lines follow that it might contain', async () => {
    // Each line opens a quote, and keeps open the one before it.
    const open = 'm",k f="\n';
    const cases = [
      [open.repeat(100_000), 100_000],
      [`${open.repeat(999)}"x\n`.repeat(100), 99_900],
      [`${open.repeat(99)}m",k${'x'.repeat(99_000)} f="\n`.repeat(10), 1000],
    ] as const;
    for (const [text, refusedCount] of cases) {
      const before = process.cpuUsage().user;
      const { refused } = await cut(piecesOf(text, 1 << 16), 1 << 20);
      const seconds = (process.cpuUsage().user - before) / 1e6;
      assert.lengthOf(refused, refusedCount);
      // A scan of a thousand lines for each line takes five times as long.
      assert.isBelow(seconds, 1.5);
    }
  });

  it('ends the batches if the refusal throws, without the lines of its own batch', async () => {
    const sent: string[] = [];
    async function* source(): AsyncGenerator<Buffer> {
      yield await Promise.resolve(Buffer.from('a v=1 0\na v=2 0\n\nb v="open\nc v=2'));
    }
    const refuse = (line: number): void => {
      throw new Error(`line ${line}`);
    };
    const rules = { bytes: 8, lines: Infinity, ends: quotedEnds, refuse };
    try {
      for await (const { bytes } of lineBatches(source(), { offset: 0, line: 0 }, rules)) {
        sent.push(bytes.toString());
      }
      assert.fail('the refusal is lost');
    } catch (error) {
      assert.instanceOf(error, Error);
      assert.strictEqual(error.message, 'line 4');
    }
    assert.deepEqual(sent, ['a v=1 0\n', 'a v=2 0\n']);
  });
});
