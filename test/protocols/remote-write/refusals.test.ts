/** Refusals that remote_write senders get before and after their body; nothing is stored. */
import { expect } from 'chai';

import { digestOf } from '../../../src/http/auth/token.js';
import { writeRequest } from '../../support/remote-write.js';
import {
  startInjected,
  type InjectedServer,
  type TestServerOptions,
} from '../../support/http-server.js';

const body = writeRequest([{ labels: { __name__: 'up' }, samples: [[1, 1]] }]);

describe('the remote_write route rejects', () => {
  let server: InjectedServer;
  const start = (options: TestServerOptions = {}): void => {
    server = startInjected(options);
  };
  afterEach(() => {
    server.close();
  });

  async function send(headers = {}): Promise<[status: number, type: string | null, text: string]> {
    const sent = {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/x-protobuf',
        'content-encoding': 'identity',
        ...headers,
      },
    };
    const answer = await server.ask('/api/v1/write', sent);
    return [answer.status, answer.headers.get('content-type'), await answer.text()];
  }
  const kText = 'text/plain; charset=utf-8';

  it('a missing token and one without the write scope, with a line of text', async () => {
    const named = [{ name: 'reader', scopes: ['read'] as const, digest: digestOf('reader') }];
    start({ token: 't', named });
    for (const [authorization, status] of [
      ['Bearer other', 401],
      ['Bearer reader', 403],
    ] as const) {
      const told = await send({ authorization });
      expect(told.slice(0, 2)).to.deep.equal([status, kText]);
      expect(told[2]).to.match(/^[^\n{]+\n$/);
    }
    expect((await send())[0]).to.equal(401);
    expect(server.storage.samples).to.deep.equal([]);
    // After authorization, the fake storage finds no JSON line.
    expect((await send({ authorization: 'Bearer t' }))[0]).to.equal(400);
    // As Prometheus' basic_auth sends it.
    const basic = `Basic ${Buffer.from('prometheus:t').toString('base64')}`;
    expect((await send({ authorization: basic }))[0]).to.equal(400);
  });

  it('pages of other sites', async () => {
    start();
    const told = await send({ origin: 'http://evil.example' });
    expect(told.slice(0, 2)).to.deep.equal([403, kText]);
    expect(server.storage.samples).to.deep.equal([]);
  });

  it('requests with a retryable error, also while the database is read-only', async () => {
    start();
    for (const code of ['ingest_backpressure', 'storage_unavailable', 'fenced'] as const) {
      server.storage.beginError = code;
      const answer = await server.ask('/api/v1/write', { method: 'POST', body });
      expect(answer.status).to.equal(503);
      expect(Number(answer.headers.get('retry-after'))).to.be.greaterThan(0);
      expect(answer.headers.get('content-type')).to.equal(kText);
    }
  });
});
