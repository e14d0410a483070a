/** The wrapper of every route, called without a socket, with its own clock. */
import { gzipSync } from 'node:zlib';

import { expect } from 'chai';

import { inject } from '../../src/http/transport/inject.js';
import { jsonReply, streamReply, type BodyPieces } from '../../src/http/route/reply.js';
import { pause, startInjected, type InjectedServer } from '../support/http-server.js';
import { plainTable } from '../support/plain-routes.js';

const never = new Promise<never>(() => undefined);
const line = '{"metric":"m","labels":{"a":"1"},"ts":1,"value":2}\n';

function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => null,
    (error: unknown) => error,
  );
}

/** Events: closed body streams, and aborted routes. */
const closed: string[] = [];

function piecesOf(name: string, pieces: readonly (string | Error)[]): BodyPieces {
  const left = [...pieces];
  return {
    next: () => {
      const piece = left.shift();
      if (piece instanceof Error) return Promise.reject(piece);
      return Promise.resolve(piece === undefined ? null : Buffer.from(piece));
    },
    close: () => closed.push(name),
  };
}

let askNow = (): void => undefined;
let bringPiece = (): void => undefined;
let latePiece: Promise<Uint8Array> = never;

const routes = plainTable([
  [
    'GET',
    '/throws',
    () => {
      throw new Error('secret path /etc');
    },
  ],
  ['GET', '/rejects', () => Promise.reject(new Error('secret path /etc'))],
  ['GET', '/never', () => never],
  ['POST', '/never', () => never],
  [
    'GET',
    '/waits',
    (request) => {
      request.onAbandoned(() => closed.push('waits'));
      return never;
    },
  ],
  [
    'POST',
    '/asks',
    async (request) => {
      await new Promise<void>((resolve) => {
        askNow = resolve;
      });
      request.onAbandoned(() => closed.push('asks'));
      return never;
    },
  ],
  ['GET', '/one', () => streamReply(piecesOf('one', ['"piece"']))],
  ['GET', '/many', () => streamReply(piecesOf('many', ['[1', ',2', ',3]']))],
  ['GET', '/late', () => streamReply({ next: () => latePiece, close: () => closed.push('late') })],
  ['GET', '/broken', () => streamReply(piecesOf('broken', ['[1', ',2', new Error('torn')]))],
  ['GET', '/unbegun', () => streamReply(piecesOf('unbegun', [new Error('torn')]))],
  [
    'POST',
    '/small',
    async (request) => jsonReply(JSON.stringify(Buffer.from(await request.readAll(4)).toString())),
  ],
]);

describe('a service called without a socket', () => {
  let now = 0;
  let server: InjectedServer;
  beforeEach(() => {
    now = 1000;
    closed.length = 0;
    server = startInjected({ routes, now: () => now });
  });
  afterEach(() => {
    server.close();
  });
  const codeOf = async (answer: Response): Promise<readonly unknown[]> => {
    const { code } = (await answer.json()) as { code: string };
    return [answer.status, code];
  };

  it('answers 500 to a throw and a rejection, without the message', async () => {
    for (const target of ['/throws', '/rejects', '/unbegun']) {
      expect(await codeOf(await server.ask(target)), target).to.deep.equal([500, 'internal_error']);
    }
    expect(closed).to.deep.equal(['unbegun']);
    expect(server.logLines.join('')).to.contain('secret path');
  });

  it('ends a route that never answers exactly at its timeout', async () => {
    const answer = server.ask('/never');
    now += 30_000;
    server.service.checkTimes();
    const first = await Promise.race([answer, pause(5)]);
    expect(first).to.equal(undefined);
    now += 1;
    server.service.checkTimes();
    expect(await codeOf(await answer)).to.deep.equal([503, 'request_timeout']);
  });

  it('ends a stream that never begins at the same timeout, and closes it later', async () => {
    latePiece = new Promise((resolve) => {
      bringPiece = () => {
        resolve(Buffer.from('1'));
      };
    });
    const answer = server.ask('/late');
    now += 30_001;
    server.service.checkTimes();
    server.service.checkTimes();
    expect(await codeOf(await answer)).to.deep.equal([503, 'request_timeout']);
    expect(server.logLines).to.have.length(1);
    bringPiece();
    await pause(2);
    expect(closed).to.deep.equal(['late']);
  });

  it('reports a disconnect at once to a route that subscribes late', async () => {
    const leaves = new AbortController();
    const answer = inject(server.service, { target: '/asks', body: 'a', signal: leaves.signal });
    leaves.abort(new Error('gone'));
    expect(String(await rejectionOf(answer))).to.contain('gone');
    expect(closed).to.deep.equal([]);
    askNow();
    await pause(2);
    expect(closed).to.deep.equal(['asks']);
  });

  it('does not count the time of a body against the answer', async () => {
    const body = ['a', 'b'];
    const answer = server.ask('/never', { body });
    now += 29_000;
    await pause(5);
    now += 29_000;
    server.service.checkTimes();
    expect(await Promise.race([answer, pause(5)])).to.equal(undefined);
    now += 2000;
    server.service.checkTimes();
    expect(await codeOf(await answer)).to.deep.equal([503, 'request_timeout']);
  });

  it("reports a disconnect to the client's route only", async () => {
    const leaves = new AbortController();
    const answer = inject(server.service, { target: '/waits', signal: leaves.signal });
    const reason = new Error('gone');
    leaves.abort(reason);
    expect(await rejectionOf(answer)).to.equal(reason);
    expect(closed).to.deep.equal(['waits']);
    await server.service.drain(1000);
  });

  it('streams several pieces, and sends a single one with its length', async () => {
    const many = await inject(server.service, { target: '/many' });
    expect([many.status, many.body, many.pieceCount]).to.deep.equal([200, '[1,2,3]', 3]);
    expect(many.headers).to.not.have.property('content-length');
    const one = await inject(server.service, { target: '/one' });
    expect([one.body, one.pieceCount]).to.deep.equal(['"piece"', 0]);
    expect(one.headers).to.have.property('content-length', '7');
    expect(closed).to.deep.equal(['many', 'one']);
  });

  it('closes the connection when a stream fails after its beginning', async () => {
    expect(String(await rejectionOf(server.ask('/broken')))).to.contain('cut');
    expect(closed).to.deep.equal(['broken']);
  });

  it('answers HEAD as GET, without the body', async () => {
    for (const [target, length] of [
      ['/one', '7'],
      ['/many', undefined],
    ] as const) {
      const head = await inject(server.service, { method: 'HEAD', target });
      expect([head.status, head.body, head.pieceCount]).to.deep.equal([200, '', 0]);
      expect(head.headers['content-length']).to.equal(length);
    }
    expect(closed).to.deep.equal(['one', 'many']);
  });

  it('rejects a body that is too large, with and without Content-Length', async () => {
    expect(await (await server.ask('/small', { body: 'four' })).json()).to.equal('four');
    for (const body of ['fives', ['fi', 've', 's']]) {
      const answer = await server.ask('/small', { body });
      expect(await codeOf(answer)).to.deep.equal([413, 'payload_too_large']);
    }
  });

  it('waits briefly for an unfinished chunked body, then closes with the error', async () => {
    const answer = inject(server.service, { target: '/small', body: Array(9).fill('many') });
    await pause(2);
    server.service.checkTimes();
    const { status, headers } = await answer;
    expect(status).to.equal(413);
    // Either the rest came in time, or the connection ends with the answer.
    expect([undefined, 'close']).to.include(headers['connection']);
  });

  it('rejects an ambiguous head in a later event-loop turn, and closes', async () => {
    const headers = { 'transfer-encoding': 'chunked' };
    const answer = await server.ask('/small', { body: 'four', headers });
    expect(answer.headers.get('connection')).to.equal('close');
    expect(await codeOf(answer)).to.deep.equal([400, 'invalid_request']);
  });

  it('closes the connection after an answer during a drain', async () => {
    const done = server.ask('/small', { body: ['fo', 'ur'] });
    const drained = server.service.drain(1000);
    expect((await done).headers.get('connection')).to.equal('close');
    await drained;
  });
});

describe('the public routes without a socket', () => {
  let server: InjectedServer;
  beforeEach(() => {
    server = startInjected({ token: 'sesame', maxBodyBytes: 1000 });
  });
  afterEach(() => {
    server.close();
  });
  const authorization = 'Bearer sesame';

  it('decode a gzip body, and reject one that is damaged or decodes too large', async () => {
    const target = '/api/v1/ingest';
    const headers = { authorization, 'content-encoding': 'gzip' };
    const whole = gzipSync(line + line);
    const good = await server.ask(target, {
      headers,
      body: [whole.subarray(0, 9), whole.subarray(9)],
    });
    expect([good.status, await good.text()]).to.deep.equal([200, '{"ingested":2}']);
    const cut = await server.ask(target, { headers, body: whole.subarray(0, -9) });
    const { code } = (await cut.json()) as { code: string };
    expect([cut.status, code]).to.deep.equal([400, 'invalid_encoding']);
    const bomb = await server.ask(target, { headers, body: gzipSync(line.repeat(1000)) });
    expect(bomb.status).to.equal(413);
    expect(server.storage.samples).to.have.length(2);
  });

  it('check token and host as over a socket', async () => {
    expect((await server.ask('/api/v1/nothing')).status).to.equal(401);
    expect((await server.ask('/status')).status).to.equal(200);
    const headers = { authorization, 'sec-fetch-site': 'cross-site' };
    expect((await server.ask('/api/v1/ingest', { headers, body: line })).status).to.equal(403);
    expect((await server.ask('/healthz', { headers })).status).to.equal(200);
  });
});
