/** Bodies whose second half never comes: their memory is counted, and freed on close. */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { assert } from 'chai';

import { parseExposition, sampleOf } from '../support/exposition-parser.js';
import { ServerOfTest } from '../support/server-of-test.js';

const kClients = 8;
const kHalf = 2 * 1024 * 1024;

interface Kind {
  readonly path: string;
  readonly type: string;
  /** The first half of a body of twice its size. */
  readonly half: Buffer;
  /** The fewest bytes that the server holds for it. */
  readonly heldBytes: number;
}

/** The start of a protobuf field that is most of the body. */
function field(tag: number): Buffer {
  const half = Buffer.alloc(kHalf);
  const size = 2 * kHalf - 5;
  half[0] = tag;
  for (let at = 1; at < 5; at += 1) {
    half[at] = ((size >> (7 * (at - 1))) & 0x7f) | (at < 4 ? 0x80 : 0);
  }
  return half;
}

const line = '{"metric":"m","ts":1,"value":1}\n';
const kinds: Readonly<Record<string, Kind>> = {
  'whole lines': {
    ...{ path: '/api/v1/ingest', type: 'application/x-ndjson' },
    half: Buffer.from(line.repeat(kHalf / line.length)),
    // A sample is 20 bytes.
    heldBytes: (20 * kHalf) / line.length,
  },
  'a field of OTLP': {
    ...{ path: '/v1/metrics', type: 'application/x-protobuf' },
    half: field(0x0a),
    heldBytes: kHalf,
  },
};

describe('bodies of which a half arrives', function () {
  this.timeout(60_000);
  const own = ServerOfTest.forEach();
  const sockets: Socket[] = [];
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });

  /**
   * Waits until the bytes of requests are as asked, and returns the total of the same answer: the
   * bytes fall again when a piece of text has become samples, so the next answer may hold fewer.
   */
  const until = async (isTrue: (bytes: number) => boolean): Promise<number> => {
    let bytes = 0;
    for (let times = 0; times < 200; times += 1) {
      const figures = parseExposition((await own.client.get('/metrics')).body);
      bytes = sampleOf(figures, 'seriesdb_memory_request_bytes');
      if (isTrue(bytes)) return sampleOf(figures, 'seriesdb_memory_used_bytes');
      await sleep(50);
    }
    return assert.fail(`requests hold ${bytes} bytes`);
  };

  for (const [name, { path, type, half, heldBytes }] of Object.entries(kinds)) {
    it(`are counted as memory until their connections close: ${name}`, async () => {
      await own.start();
      const head =
        `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\n` +
        `Content-Length: ${2 * kHalf}\r\n\r\n`;
      for (let at = 0; at < kClients; at += 1) {
        const socket = connect(own.server.port, '127.0.0.1');
        sockets.push(socket.on('error', () => undefined));
        socket.write(head);
        socket.write(half);
      }
      const used = await until((bytes) => bytes >= kClients * heldBytes);
      assert.isAtLeast(used, kClients * heldBytes, 'the total includes it');
      const open = sockets.splice(1);
      for (const socket of open) socket.destroy();
      await until((bytes) => bytes >= heldBytes && bytes < 2 * heldBytes + kHalf);
      sockets.pop()?.destroy();
      await until((bytes) => bytes === 0);
    });
  }
});
