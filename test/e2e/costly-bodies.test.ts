/**
 * The cost of every body stays in proportion: other clients get answers meanwhile, and memory is
 * bounded.
 */

import { expect } from 'chai';
import { gzipSync } from 'node:zlib';

import { AttackedServer } from '../support/attacked-server.js';
import { costlyBodies } from '../support/costly-bodies.js';
import { isSanitized } from '../support/server.js';

const kMiB = 1024 * 1024;
/**
 * For 60 MiB that are parsed field by field, which takes 4 s on a slow machine. A cost
 * that grows faster than the body takes 10 s to a minute.
 */
const kMostCpuSeconds = 6;

describe('a small body that is expensive to process', function () {
  this.timeout(120_000);
  let server: AttackedServer;
  before(async () => {
    server = await AttackedServer.start();
  });
  after(() => server.end());

  for (const make of costlyBodies) {
    const { name, path, headers, body } = make();
    it(`is taken or refused in bounded time and memory: ${name}`, async () => {
      const zipped = { headers: { ...headers, 'content-encoding': 'gzip' }, body: gzipSync(body) };
      const { answer, cpuSeconds, slowestMs } = await server.attacked(() =>
        server.post(path, zipped),
      );
      expect(answer.status, answer.body.slice(0, 200)).to.be.oneOf([200, 204, 400, 413, 422]);
      if (isSanitized) return;
      expect(cpuSeconds).to.be.below(kMostCpuSeconds);
      expect(slowestMs).to.be.below(1000);
      expect(server.peakBytes()).to.be.below(768 * kMiB);
    });
  }
});
