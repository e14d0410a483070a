import { Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';

import { expect } from 'chai';

import {
  aheadBytesOf,
  UnreadAnswer,
  UnreadAnswers,
} from '../../src/http/transport/unread-answers.js';
import { Outlet } from '../../src/http/transport/wire/outlet.js';
import { Random, testSeed } from '../support/random.js';

/** Records the output in order: written at once, or through a slow stream. */
class Wire {
  readonly came: Buffer[] = [];
  readonly stream = new Writable({
    highWaterMark: 8,
    write: (bytes: Buffer, _encoding, done) => {
      setImmediate(() => {
        this.came.push(Buffer.from(bytes));
        done();
      });
    },
  });
  sentCount = 0;

  async drained(): Promise<void> {
    while (this.stream.writableLength > 0) await turn();
  }

  sendNow(random: Random): (text: string, body: Uint8Array | null) => number {
    return (text, body) => {
      const all = Buffer.concat([Buffer.from(text), body ?? new Uint8Array(0)]);
      const size = random.below(all.length + 2) - 1;
      if (size < 0) return -1;
      this.sentCount += 1;
      this.came.push(all.subarray(0, size));
      return all.length - size;
    };
  }
}

describe('the outlet of answers', () => {
  it(`keeps every byte in its place (seed ${String(testSeed)})`, async () => {
    const random = new Random(testSeed);
    const wire = new Wire();
    const all = new UnreadAnswers(() => Infinity);
    const unread = new UnreadAnswer(all, () => undefined);
    const outlet = new Outlet(wire.stream, wire.sendNow(random), unread);
    let mostUnread = 0;
    const wanted: Buffer[] = [];
    for (let round = 0; round < 2000; round++) {
      const text = 'é€ab\r\n'.repeat(random.below(3));
      const body = random.below(3) === 0 ? null : Buffer.from('0123456789'.repeat(random.below(3)));
      wanted.push(Buffer.concat([Buffer.from(text), body ?? Buffer.of()]));
      outlet.write(text, body);
      mostUnread = Math.max(mostUnread, all.bytes);
      if (random.below(3) === 0) await wire.drained();
    }
    await wire.drained();
    await turn();
    expect(mostUnread).to.be.above(10);
    expect(all.bytes).to.equal(0);
    expect(wire.sentCount).to.be.above(100);
    expect(Buffer.concat(wire.came).equals(Buffer.concat(wanted))).to.equal(true);
  });

  it('counts what a streamed answer holds besides its bytes, also its compressor', async () => {
    const wire = new Wire();
    const all = new UnreadAnswers(() => Infinity);
    const outlet = new Outlet(wire.stream, null, new UnreadAnswer(all, () => undefined));
    outlet.aheadBytes = aheadBytesOf();
    outlet.write('piece');
    const plain = all.bytes;
    expect(plain).to.be.above(512 * 1024);
    await wire.drained();
    outlet.aheadBytes = aheadBytesOf([['content-encoding', 'br']]);
    outlet.write('piece');
    expect(all.bytes - plain).to.equal(800 * 1024);
    await wire.drained();
    expect(all.bytes).to.equal(0);
  });

  it('writes nothing once its socket is destroyed', async () => {
    const wire = new Wire();
    wire.stream.on('error', () => undefined);
    const all = new UnreadAnswers(() => Infinity);
    const unread = new UnreadAnswer(all, () => undefined);
    const outlet = new Outlet(wire.stream, wire.sendNow(new Random(1)), unread);
    wire.stream.destroy();
    outlet.write('late', Buffer.from('r'));
    await turn();
    expect(wire.came).to.deep.equal([]);
    expect(all.bytes).to.equal(0);
  });
});
