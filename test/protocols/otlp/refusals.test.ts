/** Refusals that exporters get before their body is read; nothing is stored. */
import { expect } from 'chai';

import {
  startInjected,
  type InjectedServer,
  type TestServerOptions,
} from '../../support/http-server.js';

describe('the OTLP routes reject', () => {
  let server: InjectedServer;
  const start = (options: TestServerOptions = {}): void => {
    server = startInjected(options);
  };
  afterEach(() => {
    server.close();
  });

  async function send(path: string, headers = {}): Promise<Response> {
    const sent = { 'content-type': 'application/json', ...headers };
    return server.ask(path, { method: 'POST', body: '{}', headers: sent });
  }

  it('a request without a token', async () => {
    start({ token: 't' });
    for (const path of ['/v1/metrics', '/api/v1/otlp/v1/metrics']) {
      const answer = await send(path);
      expect(answer.status).to.equal(401);
      expect(await answer.json()).to.deep.include({ code: 16 });
    }
    expect(server.storage.samples).to.deep.equal([]);
  });

  it('pages of other sites', async () => {
    start();
    const answer = await send('/v1/metrics', { origin: 'http://evil.example' });
    expect(answer.status).to.equal(403);
    expect(await answer.json()).to.deep.include({ code: 7 });
  });

  it('requests with a retryable error, also while the database is read-only', async () => {
    start();
    for (const code of ['ingest_backpressure', 'storage_unavailable', 'fenced'] as const) {
      server.storage.beginError = code;
      const answer = await send('/v1/metrics');
      expect(answer.status).to.equal(503);
      expect(Number(answer.headers.get('retry-after'))).to.be.greaterThan(0);
      expect(await answer.json()).to.deep.include({ code: 14 });
    }
  });
});
