import { expect } from 'chai';

import { ChunkedBody } from '../../src/http/transport/wire/body-framing.js';
import { HeadReader } from '../../src/http/transport/wire/head-reader.js';
import { Random, testSeed } from '../support/random.js';

interface Read {
  readonly data: string;
  /** The offset of the next message; -1 for a fault, null if the end has not arrived. */
  readonly next: number | null;
}

/** Reads pieces that end at `cuts`. */
function read(bytes: Buffer, cuts: readonly number[]): Read {
  const body = new ChunkedBody();
  let [data, endCount, from] = ['', 0, 0];
  const sink = {
    onChunk: (chunk: Uint8Array) => (data += Buffer.from(chunk).toString('latin1')),
    onEnd: () => (endCount += 1),
  };
  for (const cut of [...cuts, bytes.length]) {
    if (cut === from) continue;
    const next = body.take(bytes.subarray(from, cut), 0, sink);
    if (next < 0) return { data, next: -1 };
    expect(endCount).to.equal(body.isComplete ? 1 : 0);
    if (body.isComplete) return { data, next: from + next };
    from = cut;
  }
  return { data, next: null };
}

/** A valid body, and its content. */
function drawBody(random: Random): { readonly text: string; readonly data: string } {
  let [text, data] = ['', ''];
  for (let count = random.below(5); count > 0; count -= 1) {
    const chunk = 'x\r\n0'.repeat(1 + random.below(9));
    const digits = chunk.length.toString(16);
    const extension = random.chance(0.3) ? ';a="b"' : '';
    text += `${random.chance(0.5) ? digits.toUpperCase() : digits}${extension}\r\n${chunk}\r\n`;
    data += chunk;
  }
  const trailer = random.chance(0.5) ? 'A: b\r\nC:\r\n' : '';
  return { text: `${text}${random.chance(0.5) ? '0' : '000'}\r\n${trailer}\r\n`, data };
}

function drawCuts(random: Random, size: number): readonly number[] {
  const cuts = Array.from({ length: random.below(12) }, () => random.below(size));
  return cuts.sort((one, other) => one - other);
}

describe(`chunks and heads in pieces, seed ${String(testSeed)}`, () => {
  it('parse the same wherever they are split, up to the byte after them', () => {
    const random = new Random(testSeed);
    for (let round = 0; round < 2_000; round += 1) {
      const { text, data } = drawBody(random);
      const bytes = Buffer.from(`${text}POST / HTTP/1.1`, 'latin1');
      expect(read(bytes, drawCuts(random, bytes.length))).to.deep.equal({
        data,
        next: text.length,
      });
    }
  });

  it('are rejected or parsed the same wherever they are split, also when corrupted', () => {
    const random = new Random(testSeed + 1);
    for (let round = 0; round < 5_000; round += 1) {
      const bytes = Buffer.from(drawBody(random).text, 'latin1');
      for (let count = 1 + random.below(3); count > 0; count -= 1) {
        bytes[random.below(bytes.length)] = random.below(256);
      }
      const whole = read(bytes, []);
      const cut = read(bytes, drawCuts(random, bytes.length));
      expect(cut.next, JSON.stringify(bytes.toString('latin1'))).to.equal(whole.next);
    }
  });

  it('the end of a head is not found before it arrives', () => {
    const head = Buffer.from('GET /a?b=c HTTP/1.1\r\nHost: d\r\nExpect: 100-continue\r\n\r\n');
    for (let size = 0; size < head.length; size += 1) {
      expect(new HeadReader().read(head.subarray(0, size), 0)).to.equal(null);
    }
    expect(new HeadReader().read(head, 0)).to.deep.include({
      size: head.length,
      isVersion10: false,
    });
  });

  it('a head of many spaces is parsed in time linear in its size', () => {
    const wide = Buffer.from(`GET / HTTP/1.1\r\nHost: d\r\nA: b${' '.repeat(15_000)}c\r\n\r\n`);
    const before = process.cpuUsage();
    for (let round = 0; round < 100; round += 1) new HeadReader().read(wide, 0);
    const { user, system } = process.cpuUsage(before);
    // A hundredth of the time of a quadratic reader.
    expect(user + system).to.be.below(500_000);
  });

  it('a parser with cached head lines parses the next head the same', () => {
    const lines = [
      'Host: a',
      'Host: b',
      'Host: a\r\nConnection: close',
      'Host: a\r\nExpect: c',
      '',
    ];
    const heads = lines.flatMap((one) =>
      ['GET /a?b=1 HTTP/1.1', 'POST /%20 HTTP/1.1', 'GET /a HTTP/1.0', 'GET /a HTTP/2.0', 'x'].map(
        (first) => Buffer.from(`${first}\r\n${one === '' ? '' : `${one}\r\n`}\r\nbody`, 'latin1'),
      ),
    );
    const random = new Random(testSeed + 2);
    const reader = new HeadReader();
    for (let round = 0; round < 500; round += 1) {
      const head = random.pick(heads);
      expect(reader.read(head, 0), head.toString()).to.deep.equal(new HeadReader().read(head, 0));
    }
  });
});
