import { expect } from 'chai';
import { connect } from 'node:net';

import { piecesOf } from '../support/fake-storage.js';
import {
  pause,
  startInjected,
  startTestServer,
  sendRaw,
  transports,
  type InjectedServer,
  type TestServer,
} from '../support/http-server.js';

interface ErrorBody {
  readonly error: string;
  readonly code: string;
  readonly status: number;
}

const path = '/api/v1/query/range';
const codeOf = async (answer: Response) => ((await answer.json()) as ErrorBody).code;

describe(path, () => {
  let server: InjectedServer;
  before(() => {
    server = startInjected();
  });
  after(() => {
    server.close();
  });
  const post = (body: string) => server.ask(path, { body });
  const get = (query: string) => server.ask(`${path}?${query}`);

  it('carries 64-bit integers exactly', async () => {
    const [start, end] = ['-9223372036854775808', '9223372036854775807'];
    await post(`{"start":${start},"end":${end},"series_id":18446744073709551615}`);
    const wanted = {
      selector: { seriesId: 2n ** 64n - 1n },
      start: -(2n ** 63n),
      end: 2n ** 63n - 1n,
    };
    expect(server.storage.lastRange).to.deep.equal(wanted);
    await get(`start=${start}&end=${end}&series_id=18446744073709551615`);
    expect(server.storage.lastRange).to.deep.equal(wanted);
  });

  it('accepts textual UTC times beside integers, and no quoted integers in a body', async () => {
    const start = '2023-11-14T22:13:20Z';
    const wanted = { start: 1_700_000_000_000n, end: 1_700_000_060_000n };
    await post(`{"start":"${start}","end":"2023-11-14 23:14:20+01:00","series_id":1}`);
    expect(server.storage.lastRange).to.include(wanted);
    await get(`start=${start}&end=1700000060000&series_id=1`);
    expect(server.storage.lastRange).to.include(wanted);
    const before = Date.now();
    await get('start=now-1h&end=now&series_id=1');
    const { start: from = 0n, end: to = 0n } = server.storage.lastRange ?? {};
    expect(Number(to)).to.be.within(before, Date.now());
    expect(Number(to - from)).to.equal(3_600_000);
    for (const text of ['"0"', '"tomorrow"', '""', '"2023-02-30"', '1.5', 'null']) {
      expect(await codeOf(await post(`{"start":${text},"end":1,"series_id":1}`)), text).to.equal(
        'invalid_start',
      );
    }
    expect(await codeOf(await get('start=0&end=soon&series_id=1'))).to.equal('invalid_end');
  });

  it('distinguishes a bare name from an empty label set, and keeps precedence', async () => {
    await post('{"start":0,"end":1,"series":"s"}');
    expect(server.storage.lastRange?.selector).to.deep.equal({
      name: 's',
      labels: null,
      isLegacy: true,
    });
    await post('{"start":0,"end":1,"series":"s","tags":{}}');
    expect(server.storage.lastRange?.selector).to.deep.equal({
      name: 's',
      labels: [],
      isLegacy: true,
    });
    await post('{"start":0,"end":1,"series":"s","metric":"m"}');
    expect(server.storage.lastRange?.selector).to.deep.equal({ name: 'm', labels: null });
  });

  it('keeps any label key, including __proto__', async () => {
    const text = '{"__proto__":"p","constructor":"c","2":"two","a":"1"}';
    const labels = [
      ['2', 'two'],
      ['__proto__', 'p'],
      ['a', '1'],
      ['constructor', 'c'],
    ];
    const lastLabels = () => {
      const selector = server.storage.lastRange?.selector;
      server.storage.lastRange = null;
      return selector !== undefined && 'labels' in selector ? selector.labels?.toSorted() : null;
    };
    await post(`{"start":0,"end":1,"metric":"m","labels":${text}}`);
    expect(lastLabels()).to.deep.equal(labels);
    await post(`{"start":0,"end":1,"series":"m","tags":${text}}`);
    expect(lastLabels()).to.deep.equal(labels);
    await get(`start=0&end=1&metric=m&labels=${encodeURIComponent(text)}`);
    expect(lastLabels()).to.deep.equal(labels);
    await get(`start=0&end=1&series=m&tags=${encodeURIComponent(text)}`);
    expect(lastLabels()).to.deep.equal(labels);
  });

  it('rejects a duplicate key with different values, and names it', async () => {
    const bodies = [
      '{"start":0,"end":1,"metric":"m","metric":"n"}',
      '{"start":0,"end":1,"metric":"m","labels":{"metric":"a","metric":"b"}}',
    ];
    for (const body of bodies) {
      expect(await (await post(body)).json()).to.deep.equal({
        error: 'the key "metric" occurs twice with different values',
        code: 'invalid_json',
        status: 400,
      });
    }
    const ofProto = await post('{"start":0,"end":1,"__proto__":1,"__proto__":2}');
    expect(await codeOf(ofProto)).to.equal('invalid_json');
    expect((await post('{"start":0,"end":1,"metric":"m","metric":"m"}')).status).to.equal(200);
    const byGet = await get('start=0&end=1&metric=m&labels=%7B%22a%22:1,%22a%22:2%7D');
    expect(await codeOf(byGet)).to.equal('invalid_labels');
  });

  const refused: readonly (readonly [string, string])[] = [
    ['', 'invalid_json'],
    ['[]', 'invalid_json'],
    ['5', 'invalid_json'],
    ['{"start":0,}', 'invalid_json'],
    ['['.repeat(200_000), 'invalid_json'],
    ['{"end":1,"metric":"m"}', 'missing_start'],
    ['{"start":1,"metric":"m"}', 'missing_end'],
    ['{"start":1,"end":1}', 'missing_selector'],
    ['{"start":2,"end":1,"metric":"m"}', 'invalid_time_range'],
    ['{"start":1.0,"end":1,"metric":"m"}', 'invalid_start'],
    ['{"start":"1","end":1,"metric":"m"}', 'invalid_start'],
    ['{"start":0,"end":9223372036854775808,"metric":"m"}', 'invalid_end'],
    ['{"start":0,"end":1,"series_id":-1}', 'invalid_series_id'],
    ['{"start":0,"end":1,"series_id":18446744073709551616}', 'invalid_series_id'],
    ['{"start":0,"end":1,"metric":7}', 'invalid_metric'],
    ['{"start":0,"end":1,"series":null}', 'invalid_series'],
    ['{"start":0,"end":1,"metric":"m","labels":[]}', 'invalid_labels'],
    ['{"start":0,"end":1,"metric":"m","labels":{"a":{}}}', 'invalid_labels'],
    ['{"start":0,"end":1,"series":"m","tags":"{}"}', 'invalid_tags'],
    ['{"__proto__":{"start":0},"end":1,"metric":"m"}', 'missing_start'],
  ];
  for (const [body, code] of refused) {
    it(`answers ${code} to ${body.slice(0, 60)}`, async () => {
      const answer = await post(body);
      expect([answer.status, await codeOf(answer)]).to.deep.equal([400, code]);
    });
  }

  it('answers 400 to bad parameters of GET', async () => {
    expect(await codeOf(await get('start=x&end=1&metric=m'))).to.equal('invalid_start');
    expect(await codeOf(await get('start=0&end=1&metric=m&labels=x'))).to.equal('invalid_labels');
    expect(await codeOf(await get('start=0&end=1'))).to.equal('missing_selector');
  });
});

for (const transport of transports) {
  describe(`${path} over ${transport.name}`, () => {
    let server: TestServer;
    beforeEach(async () => {
      server = await startTestServer(transport);
      server.storage.samples.push({ name: 'm', labels: '{"a":"1"}', ts: 5n, value: 2.5 });
    });
    afterEach(() => {
      server.close();
    });
    const post = (body: string) => fetch(server.base + path, { method: 'POST', body });
    const get = (query: string) => fetch(`${server.base}${path}?${query}`);

    it('answers the samples of a selector, by POST and by GET', async () => {
      const byPost = await post('{"start":0,"end":9,"metric":"m","labels":{"a":1,"z":null}}');
      expect(await byPost.text()).to.equal('[{"ts":5,"value":2.5}]');
      const byGet = await get('start=0&end=9&metric=m&labels=%7B%22a%22:+%221%22%7D');
      expect(await byGet.text()).to.equal('[{"ts":5,"value":2.5}]');
      expect(byGet.headers.get('content-type')).to.equal('application/json');
      expect(byGet.headers.get('content-length')).to.equal('22');
    });

    it('answers 411 without a length and 413 past 1 MiB', async () => {
      const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\n`;
      const bare = await sendRaw(server.port, [`${head}\r\n`]);
      expect(bare.text).to.contain('HTTP/1.1 411').and.contain('"code":"length_required"');
      const chunked = await sendRaw(server.port, [
        `${head}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
      ]);
      expect(chunked.text).to.contain('HTTP/1.1 411');
      expect((await post(' '.repeat(1024 * 1024 + 1))).status).to.equal(413);
    });

    it('streams many pieces in order', async () => {
      const pieces = Array.from({ length: 40 }, (_, index) =>
        Buffer.alloc(100_000, 97 + (index % 26)),
      );
      server.storage.stream = piecesOf(pieces);
      const body = Buffer.from(await (await get('start=0&end=1&metric=m')).arrayBuffer());
      expect(body.equals(Buffer.concat(pieces))).to.equal(true);
    });

    it('stops pulling while the client does not read, and closes when it disconnects', async () => {
      const endless = piecesOf(
        (function* () {
          for (;;) yield Buffer.alloc(256 * 1024);
        })(),
      );
      server.storage.stream = endless;
      const socket = connect(server.port, '127.0.0.1');
      socket.pause();
      socket.write(`GET ${path}?start=0&end=1&metric=m HTTP/1.1\r\nHost: localhost\r\n\r\n`);
      await pause(200);
      const pulled = endless.pulled;
      expect(pulled).to.be.greaterThan(1).and.lessThan(100);
      await pause(100);
      expect(endless.pulled).to.equal(pulled);
      socket.destroy();
      await pause(100);
      expect(endless.isClosed).to.equal(true);
    });

    it('answers an error before the first byte and closes the connection after it', async () => {
      const fault = () => Object.assign(new Error('damaged'), { code: 'storage_corrupt' });
      server.storage.stream = piecesOf([fault]);
      const early = await get('start=0&end=1&metric=m');
      expect([early.status, await codeOf(early)]).to.deep.equal([503, 'storage_corrupt']);
      server.storage.stream = piecesOf([Buffer.from('['), Buffer.from('1'), fault]);
      const late = await sendRaw(server.port, [
        `GET ${path}?start=0&end=1&metric=m HTTP/1.1\r\nHost: localhost\r\n\r\n`,
      ]);
      expect(late.isClosed).to.equal(true);
      expect(late.text).to.not.match(/\r\n0\r\n\r\n$/);
      expect(server.storage.stream).to.have.property('isClosed', true);
    });
  });
}
