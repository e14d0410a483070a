/** POST /v1/metrics: stored samples and answers, in both encodings, over real sockets. */
import { gzipSync } from 'node:zlib';

import { expect } from 'chai';

import { otlpMessages } from '../../../src/http/protocols/otlp/messages.js';
import { Client, type Answer } from '../../support/client.js';
import { encodedRequest } from '../../support/otlp-request.js';
import { killServers, startServer, temporaryDirectory, type Server } from '../../support/server.js';
import { storedFrame } from '../../support/zstd.js';
import { pointsOf } from '../influx/stored.js';

const { exportResponse, rpcStatus } = otlpMessages();

const kProtobuf = 'application/x-protobuf';
const kJson = 'application/json';
const baseMs = 1_700_000_000_123n;
const baseNs = String(baseMs * 1_000_000n);

function requestOf(...metrics: readonly object[]): { resourceMetrics: object[] } {
  return { resourceMetrics: [{ scopeMetrics: [{ metrics }] }] };
}

function gauge(name: string, point: object): object {
  return { name, gauge: { dataPoints: [{ timeUnixNano: baseNs, ...point }] } };
}

const good = gauge('good', { asDouble: 1.5 });
const delta = {
  name: 'd',
  sum: { aggregationTemporality: 1, dataPoints: [{ timeUnixNano: baseNs, asInt: '1' }] },
};

describe('the OTLP routes', function () {
  this.timeout(60_000);
  let server: Server;
  let client: Client;

  before(async () => {
    const env = { SERIESDB_MAX_BODY_BYTES: '200000' };
    server = await startServer({ dataDir: temporaryDirectory(), env });
    client = new Client(server.port);
  });
  after(async () => {
    client.close();
    await killServers();
  });

  const send = (
    body: string | Uint8Array,
    type: string,
    { headers = {}, query = '' } = {},
  ): Promise<Answer> =>
    client.request('POST', `/v1/metrics${query}`, {
      body,
      headers: { 'content-type': type, ...headers },
    });
  const sendJson = (request: unknown): Promise<Answer> => send(JSON.stringify(request), kJson);

  async function binaryAnswer(body: Uint8Array, status = 200): Promise<Uint8Array> {
    const url = `http://127.0.0.1:${String(server.port)}/v1/metrics`;
    const headers = { 'content-type': kProtobuf };
    const answer = await fetch(url, { method: 'POST', body, headers });
    expect(answer.status).to.equal(status);
    expect(answer.headers.get('content-type')).to.equal(kProtobuf);
    return new Uint8Array(await answer.arrayBuffer());
  }

  it('accept protobuf and JSON, in each encoding, and answer in the same format', async () => {
    const encodings = [
      ['identity', (body: Uint8Array | string) => Buffer.from(body)],
      ['gzip', (body: Uint8Array | string) => gzipSync(body)],
      ['zstd', (body: Uint8Array | string) => storedFrame(Buffer.from(body))],
    ] as const;
    for (const [encoding, encode] of encodings) {
      const headers = { 'content-encoding': encoding };
      const request = requestOf(gauge(`${encoding}.p`, { asDouble: 0.5 }));
      const binary = await send(encode(encodedRequest(request)), kProtobuf, { headers });
      expect([binary.status, binary.body]).to.deep.equal([200, '']);
      expect(binary.headers['content-type']).to.equal(kProtobuf);
      const text = JSON.stringify(requestOf(gauge(`${encoding}.j`, { asInt: 7 })));
      const json = await send(encode(text), `${kJson}; charset=utf-8`, { headers });
      expect([json.status, json.body]).to.deep.equal([200, '{}']);
      expect(json.headers['content-type']).to.equal(kJson);
      expect(await pointsOf(server.port, `${encoding}.p`, {})).to.deep.equal([[baseMs, 0.5]]);
      expect(await pointsOf(server.port, `${encoding}.j`, {})).to.deep.equal([[baseMs, 7]]);
    }
  });

  it('accept an empty body, and empty messages at every level', async () => {
    expect((await send('', kProtobuf)).status).to.equal(200);
    for (const request of [{}, { resourceMetrics: [] }, requestOf(), requestOf({ name: 'x' })]) {
      expect((await sendJson(request)).body).to.equal('{}');
    }
  });

  it('follow the JSON mapping: textual numbers, enum names, unknown members', async () => {
    const request = requestOf({
      name: 'mapped',
      futureMember: { deep: [1] },
      sum: {
        aggregationTemporality: 'AGGREGATION_TEMPORALITY_CUMULATIVE',
        isMonotonic: true,
        dataPoints: [
          { timeUnixNano: baseNs, asDouble: '2.5', attributes: [attribute('a', 1)] },
          { timeUnixNano: baseNs, asDouble: 'Infinity', attributes: [attribute('a', 2)] },
        ],
      },
    });
    expect((await sendJson(request)).body).to.equal('{}');
    expect(await pointsOf(server.port, 'mapped', { a: '1' })).to.deep.equal([[baseMs, 2.5]]);
    expect(await pointsOf(server.port, 'mapped', { a: '2' })).to.deep.equal([[baseMs, null]]);
  });

  it('keep 64-bit integers of JSON exact, times above all', async () => {
    const text = JSON.stringify(requestOf(gauge('exact', { asInt: 'N' })))
      .replace(`"${baseNs}"`, '1700000000122999999')
      .replace('"N"', '9007199254740992');
    expect((await send(text, kJson)).body).to.equal('{}');
    const points = await pointsOf(server.port, 'exact', {});
    expect(points).to.deep.equal([[baseMs - 1n, 9007199254740992]]);
  });

  it('store the valid points, and report the rest', async () => {
    const request = requestOf(good, delta, gauge('bad', { asDouble: 1, timeUnixNano: '0' }));
    const json = await sendJson(request);
    expect(json.status).to.equal(200);
    const { partialSuccess } = JSON.parse(json.body) as { partialSuccess: Partial };
    expect(partialSuccess.rejectedDataPoints).to.equal('2');
    expect(partialSuccess.errorMessage).to.match(
      /^2 of 3 data points rejected: \{__name__="d"\}: .*TEMPORALITY_PREFERENCE=cumulative/,
    );
    const answer = exportResponse.decode(await binaryAnswer(encodedRequest(request))).toJSON();
    expect(answer).to.deep.equal({ partialSuccess });
    expect(await pointsOf(server.port, 'good', {})).to.deep.equal([[baseMs, 1.5]]);
  });

  it('warn of points that are stored in part', async () => {
    const point = { timeUnixNano: baseNs, count: 3, sum: 4, scale: 1 };
    const request = requestOf({
      name: 'e',
      exponentialHistogram: { aggregationTemporality: 2, dataPoints: [point] },
    });
    const { partialSuccess } = JSON.parse((await sendJson(request)).body) as {
      partialSuccess: Partial;
    };
    expect(partialSuccess.rejectedDataPoints).to.equal('0');
    expect(partialSuccess.errorMessage).to.match(/only _count and _sum of/);
    expect(await pointsOf(server.port, 'e_sum', {})).to.deep.equal([[baseMs, 4]]);
  });

  it('store all or nothing on request', async () => {
    const request = requestOf(gauge('whole', { asDouble: 1 }), delta);
    const refused = await send(encodedRequest(request), kProtobuf, { query: '?on_error=fail' });
    expect(refused.status).to.equal(400);
    expect(await pointsOf(server.port, 'whole', {})).to.deep.equal([]);
  });

  it('reject an unreadable body, in its format, and store nothing', async () => {
    const first = JSON.stringify(requestOf(gauge('torn', { asDouble: 1 })));
    const bodies = [
      ['', /not JSON/],
      ['{', /not JSON/],
      ['[]', /not a JSON object/],
      ['{"resourceMetrics":{}}', /must be a list/],
      ['\xff', /not JSON|UTF-8/],
      [first.replace('"asDouble":1', '"asDouble":"many"'), /NumberDataPoint.asDouble/],
      [first.replace('"asDouble":1', '"asDouble":1,"asInt":1'), /oneof/],
      [first.replace(`"${baseNs}"`, '"-1"'), /timeUnixNano/],
      [first.replace(']}]}]', ']}]},5]'), /expected an object/],
      [`{"a":${'['.repeat(100_000)}`, /nests more than 128 levels/],
    ] as const;
    for (const [body, why] of bodies) {
      const { status, body: answer } = await send(body, kJson);
      expect([body.slice(0, 200), status]).to.deep.equal([body.slice(0, 200), 400]);
      const { code, message } = JSON.parse(answer) as { code: number; message: string };
      expect(code).to.equal(3);
      expect(message).to.match(why);
    }
    const told = rpcStatus.decode(await binaryAnswer(Buffer.from('\x0a\x05'), 400)).toJSON();
    expect(told).to.deep.include({ code: 3 });
    expect(await pointsOf(server.port, 'torn', {})).to.deep.equal([]);
  });

  it('reject other content types and bodies that are too large', async () => {
    expect((await send('x', 'text/plain')).status).to.equal(415);
    const large = Buffer.alloc(300_000, ' ').toString();
    const { status, body } = await send(`${large}{}`, kJson);
    expect(status).to.equal(413);
    expect((JSON.parse(body) as { code: number }).code).to.equal(8);
  });
});

interface Partial {
  readonly rejectedDataPoints: string;
  readonly errorMessage: string;
}

function attribute(key: string, value: number): object {
  return { key, value: { intValue: String(value) } };
}
