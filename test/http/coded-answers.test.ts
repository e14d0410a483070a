/** Answers that are compressed at the client's request. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import { createGunzip } from 'node:zlib';

import { expect } from 'chai';

import { AppError } from '../../src/common/errors/app-error.js';
import {
  isStreamed,
  jsonReply,
  streamReply,
  type BodyPieces,
  type Reply,
} from '../../src/http/route/reply.js';
import { CodedAnswers } from '../../src/http/service/coded-answers.js';
import { askCoded, codingsHere, decoded, openCoded } from '../support/coded-client.js';
import {
  pause,
  startInjected,
  startTestServer,
  transports,
  type InjectedServer,
  type TestServer,
} from '../support/http-server.js';
import { plainTable } from '../support/plain-routes.js';

const long = 'long, and much the same again: '.repeat(40_000);
/** Incompressible, and one piece produces much output. */
const noise = randomBytes(700_000).toString('base64');

type Piece = string | Error | Promise<string | null>;

function piecesOf(pieces: readonly Piece[]): BodyPieces {
  const left = [...pieces];
  return {
    next: async () => {
      const piece = await (left.shift() ?? null);
      if (piece instanceof Error) throw piece;
      return piece === null ? null : Buffer.from(piece);
    },
    close: () => undefined,
  };
}

/** Each resolves a read that a stream waits for. */
const bringMore: ((piece: string | null) => void)[] = [];
let onClosed: () => void = () => undefined;
let takenCount = 0;

const endless: BodyPieces = {
  next: () => {
    takenCount += 1;
    return Promise.resolve(randomBytes(64 * 1024));
  },
  close: () => {
    onClosed();
  },
};

const routes = plainTable([
  ['GET', '/whole', () => jsonReply(long)],
  ['GET', '/small', () => jsonReply('x'.repeat(1023))],
  ['GET', '/least', () => jsonReply('x'.repeat(1024))],
  ['GET', '/one', () => streamReply(piecesOf([long]))],
  ['GET', '/few', () => streamReply(piecesOf(['few']))],
  ['GET', '/none', () => streamReply(piecesOf([]))],
  ['GET', '/many', () => streamReply(piecesOf([long, '', noise, 'end']))],
  ['GET', '/torn', () => streamReply(piecesOf([long, noise, new Error('torn')]))],
  [
    'GET',
    '/slowly',
    () => {
      const more = new Promise<string | null>((resolve) => {
        bringMore.push(resolve);
      });
      return streamReply(piecesOf(['first', 'second', more]));
    },
  ],
  ['GET', '/endless', () => streamReply(endless)],
  [
    'GET',
    '/refused',
    () => {
      throw new AppError('invalid_request', 'no '.repeat(1000));
    },
  ],
]);

const bodies = {
  '/whole': long,
  '/one': long,
  '/few': 'few',
  '/none': '',
  '/many': long + noise + 'end',
};

describe('the negotiated content coding', () => {
  let server: InjectedServer;
  before(() => {
    server = startInjected({ routes });
  });
  after(() => {
    server.close();
  });
  const codingFor = async (accepted: string, target = '/whole'): Promise<string | null> => {
    const answer = await server.ask(target, { headers: { 'accept-encoding': accepted } });
    return answer.headers.get('content-encoding');
  };

  const best = codingsHere.includes('zstd') ? 'zstd' : 'br';
  const rows: readonly (readonly [string, string | null])[] = [
    ['gzip', 'gzip'],
    ['GZip', 'gzip'],
    ['x-gzip', 'gzip'],
    ['deflate, gzip', 'gzip'],
    ['gzip, deflate, br', 'br'],
    ['gzip, deflate, br, zstd', best],
    ['gzip;q=1.0, br;q=0.999', 'gzip'],
    ['br;q=0.1,gzip ; q=0.2', 'gzip'],
    ['*', best],
    ['*;q=0.5, gzip;q=0.6', 'gzip'],
    ['zstd;q=0, br;q=0, *', 'gzip'],
    ['gzip;q=0.001', 'gzip'],
    ['gzip;q=0', null],
    ['gzip;q=0.000', null],
    ['*;q=0', null],
    ['', null],
    ['identity', null],
    ['deflate, compress', null],
    ['identity;q=1, gzip;q=0.5', null],
    ['identity, gzip', 'gzip'],
    ['identity;q=0, gzip;q=0.1', 'gzip'],
    // The client accepts no available coding, and gets the answer uncompressed.
    ['identity;q=0', null],
    ['identity;q=0, *;q=0', null],
    // An invalid entry is ignored.
    ['gzip;q=2', null],
    ['gzip;q=0.1234', null],
    ['gzip;q=', null],
    ['gzip;level=1', null],
    ['gzip;q=1;q=1', null],
    ['gzip;q=-1, br;q=0.1', 'br'],
    [',;,q=1,gzip', 'gzip'],
    [`${'a,'.repeat(5000)}gzip`, 'gzip'],
  ];
  for (const [accepted, coding] of rows) {
    it(`follows "${accepted.slice(0, 40)}": ${String(coding)}`, async () => {
      expect(await codingFor(accepted)).to.equal(coding);
      expect(await codingFor(accepted, '/many')).to.equal(coding);
    });
  }

  it('is not applied to short answers', async () => {
    for (const target of ['/small', '/few', '/none']) {
      expect(await codingFor('gzip', target), target).to.equal(null);
      expect((await server.ask(target)).headers.has('vary'), target).to.equal(false);
    }
    expect(await codingFor('gzip', '/least')).to.equal('gzip');
  });

  it('is not applied while many answers are being sent', async () => {
    const headers = { 'accept-encoding': 'gzip' };
    const waiting = Array.from({ length: 64 }, () => server.ask('/slowly', { headers }));
    await pause(0);
    expect(await codingFor('gzip')).to.equal(null);
    const answer = await server.ask('/whole', { headers });
    expect(answer.headers.get('vary')).to.equal('Accept-Encoding');
    for (const bring of bringMore.splice(0)) bring(null);
    await Promise.all(waiting);
    expect(await codingFor('gzip')).to.equal('gzip');
  });
});

for (const transport of transports) {
  describe(`compressed answers over ${transport.name}`, () => {
    let server: TestServer;
    before(async () => {
      server = await startTestServer(transport, { routes, corsOrigins: ['https://a.example'] });
    });
    after(() => {
      server.close();
    });
    const ask = (path: string, accepted?: string, method = 'GET') =>
      askCoded(server.port, path, {
        method,
        headers: accepted === undefined ? {} : { 'accept-encoding': accepted },
      });

    for (const coding of codingsHere) {
      it(`decode to the same content: ${coding}`, async () => {
        for (const [path, body] of Object.entries(bodies)) {
          const [plain, coded] = [await ask(path), await ask(path, coding)];
          expect([plain.status, plain.isWhole, coded.status, coded.isWhole], path).to.deep.equal([
            ...[200, true],
            ...[200, true],
          ]);
          expect(plain.bytes.toString() === body, path).to.equal(true);
          expect(decoded(coded) === body, path).to.equal(true);
          const isLong = body.length > 1024;
          expect(coded.headers['content-encoding'], path).to.equal(isLong ? coding : undefined);
          expect(plain.headers['content-encoding']).to.equal(undefined);
          for (const { headers } of [plain, coded]) {
            expect(headers.vary?.includes('Accept-Encoding'), path).to.equal(isLong);
          }
          if (path === '/whole') expect(coded.bytes.length).to.be.below(long.length / 10);
        }
      });
    }

    it('have a Content-Length if complete, and HEAD answers the same headers', async () => {
      const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
      const headers = { 'accept-encoding': 'gzip' };
      const told = ({ headers: all }: { readonly headers: http.IncomingHttpHeaders }) =>
        ['content-encoding', 'content-length', 'vary', 'content-type'].map((name) => all[name]);
      for (const path of Object.keys(bodies)) {
        const got = await askCoded(server.port, path, { headers, agent });
        const head = await askCoded(server.port, path, { method: 'HEAD', headers, agent });
        expect(told(head), path).to.deep.equal(told(got));
        expect([head.status, head.bytes.length]).to.deep.equal([200, 0]);
        if (path === '/many') expect(got.headers['transfer-encoding']).to.equal('chunked');
        else expect(got.headers['content-length']).to.equal(String(got.bytes.length));
      }
      agent.destroy();
    });

    it('exclude errors', async () => {
      const { status, headers, bytes } = await ask('/refused', 'gzip');
      expect([status, headers['content-encoding'], headers.vary]).to.deep.equal([
        400,
        undefined,
        'Origin',
      ]);
      expect(JSON.parse(bytes.toString())).to.include({ code: 'invalid_request' });
    });

    it('name origin and coding in Vary', async () => {
      const headers = { 'accept-encoding': 'gzip', origin: 'https://a.example' };
      const answer = await askCoded(server.port, '/whole', { headers });
      expect(answer.headers.vary?.split(', ').toSorted()).to.deep.equal([
        'Accept-Encoding',
        'Origin',
      ]);
      expect(decoded(answer) === long).to.equal(true);
    });

    it('are sent as far as they are produced', async () => {
      const headers = { 'accept-encoding': 'gzip' };
      const response = await openCoded(server.port, '/slowly', { headers });
      const gunzip = createGunzip();
      let text = '';
      gunzip.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
      });
      response.pipe(gunzip);
      while (text !== 'firstsecond') await pause(5);
      for (const bring of bringMore.splice(0)) bring('third');
      await once(gunzip, 'end');
      expect(text).to.equal('firstsecondthird');
    });

    it('close the connection when they fail midway', async () => {
      const { status, isWhole, bytes, headers } = await ask('/torn', 'gzip');
      expect([status, isWhole]).to.deep.equal([200, false]);
      expect(bytes.length).to.be.above(10_000);
      expect(() => decoded({ headers, bytes })).to.throw();
    });

    it('wait for a client that does not read, and end when it disconnects', async () => {
      takenCount = 0;
      const closed = new Promise<void>((resolve) => {
        onClosed = resolve;
      });
      const headers = { 'accept-encoding': 'gzip' };
      const response = await openCoded(server.port, '/endless', { headers });
      const settles = async (): Promise<number> => {
        let last = -1;
        while (last !== takenCount) {
          last = takenCount;
          await pause(300);
        }
        return takenCount;
      };
      const before = await settles();
      // The memory of the sockets and of the client, on both sides.
      expect(before).to.be.below(400);
      let received = 0;
      for await (const chunk of response as AsyncIterable<Buffer>) {
        received += chunk.length;
        if (received > before * 64 * 1024) break;
      }
      expect(takenCount).to.be.above(before);
      await closed;
    });
  });
}

describe('answers that wait for their second piece', () => {
  const first = Buffer.alloc(1024 * 1024);
  /** A stream whose second piece comes, as null, when `more` is resolved. */
  const waiting = (more: Promise<null>): BodyPieces => {
    const pieces = [Promise.resolve(first), more];
    return { next: () => pieces.shift() ?? Promise.resolve(null), close: () => undefined };
  };

  it('are 16 MiB at most; further ones go on with their first piece alone', async () => {
    const answers = new CodedAnswers();
    let bringAll = (): void => undefined;
    const more = new Promise<null>((resolve) => {
      bringAll = () => {
        resolve(null);
      };
    });
    let openCount = 0;
    const open = async (): Promise<Reply['body']> => {
      const { body } = await answers.open(streamReply(waiting(more)), undefined);
      openCount += 1;
      return body;
    };
    const held = Array.from({ length: 16 }, open);
    await pause(5);
    expect(openCount).to.equal(0);
    const body = await open();
    expect(isStreamed(body) && (await body.next())).to.equal(first);
    bringAll();
    for (const one of await Promise.all(held)) expect(one).to.equal(first);
    expect(await answers.open(streamReply(waiting(Promise.resolve(null))), undefined))
      .to.have.property('body')
      .that.equals(first);
  });
});
