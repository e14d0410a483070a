/** Reads by remote_read take query places, and release them. */
import { expect } from 'chai';

import { defaultQuerySettings } from '../../../src/operations/query.js';
import { pause, startTestServer, transports, type TestServer } from '../../support/http-server.js';
import { readRequest } from '../../support/remote-read.js';

const { maxConcurrent } = defaultQuerySettings;
const body = Buffer.from(readRequest([{ start: 0, end: 1, matchers: [] }]));

for (const transport of transports) {
  describe(`query slots of remote_read over ${transport.name}`, function () {
    this.timeout(20_000);
    let server: TestServer;
    let closeCount = 0;
    before(async () => {
      server = await startTestServer(transport);
    });
    after(() => {
      server.close();
    });

    const read = (signal: AbortSignal | null = null): Promise<Response> => {
      const headers = {
        'content-type': 'application/x-protobuf',
        'content-encoding': 'identity',
      };
      return fetch(`${server.base}/api/v1/read`, { method: 'POST', headers, body, signal });
    };

    /** Blocks all reads. Resolves when the maximum of reads is blocked. */
    function holdReads(): Promise<void> {
      let waiting = 0;
      return new Promise((resolve) => {
        server.storage.stream = {
          next: () => {
            waiting += 1;
            if (waiting === maxConcurrent) resolve();
            return new Promise(() => undefined);
          },
          close: () => {
            closeCount += 1;
          },
        };
      });
    }

    it('are shared with queries: more must retry until a client disconnects', async () => {
      const allWait = holdReads();
      const leaving = new AbortController();
      const reads = Array.from({ length: maxConcurrent }, () =>
        read(leaving.signal).catch(() => null),
      );
      await allWait;
      const refused = await read();
      expect(refused.status).to.equal(503);
      expect(refused.headers.get('retry-after')).to.equal('1');
      expect(await refused.text()).to.equal(
        `${maxConcurrent} queries are already running; try again later\n`,
      );
      // It was first tried as a short answer, which it was not.
      const closedBefore = closeCount;
      expect(closedBefore).to.be.at.least(1);
      server.storage.stream = null;
      const next = read();
      leaving.abort();
      expect((await next).status).to.equal(200);
      expect(await Promise.all(reads)).to.deep.equal(reads.map(() => null));
      while (closeCount === closedBefore) await pause(5);
    });
  });
}
