/** Bodies that are small on the wire but cost much time or memory. */

import { field, text, varint } from './remote-write.js';

export interface CostlyBody {
  readonly name: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const kMiB = 1024 * 1024;
const protobuf = { 'content-type': 'application/x-protobuf' };
const secondVersion = {
  'content-type': 'application/x-protobuf;proto=io.prometheus.write.v2.Request',
};

/** Each is made when sent, because some are large before compression. */
export const costlyBodies: readonly (() => CostlyBody)[] = [
  () => written('a symbol of 1 MiB that one series names 6,000 times', secondVersion, symbols()),
  () => written('a series of 30 million labels of two bytes', protobuf, emptyFields(1)),
  () => written('a series of 30 million samples of two bytes', protobuf, emptyFields(2)),
  () => exported('service.name 80,000 times, and 80,000 attributes', repeatedNames(80_000)),
  () => exported('a histogram of 60,000 bounds and an attribute of 15 KB', bounds(60_000)),
  () => exported('a service.name of 1 MiB and 40,000 scopes without anything', scopes(40_000)),
  () => exported('a summary of 160,000 quantiles', quantiles(160_000)),
];

function written(name: string, headers: CostlyBody['headers'], body: Buffer): CostlyBody {
  return { name: `remote_write, ${name}`, path: '/api/v1/write', headers, body };
}

function exported(name: string, body: Buffer): CostlyBody {
  return { name: `OTLP, ${name}`, path: '/v1/metrics', headers: protobuf, body };
}

function symbols(): Buffer {
  const names = ['', '__name__', 'm', 'x'.repeat(kMiB)].map((symbol) => text(4, symbol));
  const refs = [field(1, Buffer.of(1, 2)), repeated(field(1, Buffer.of(3, 3, 3, 3)), 1_500)];
  return Buffer.concat([...names, field(5, Buffer.concat(refs))]);
}

/** A series with a two-byte field, repeated. */
function emptyFields(number: number): Buffer {
  const name = field(1, Buffer.concat([text(1, '__name__'), text(2, 'm')]));
  return field(1, Buffer.concat([name, repeated(field(number, Buffer.alloc(0)), 30_000_000)]));
}

const repeated = (bytes: Buffer, count: number): Buffer =>
  Buffer.alloc(bytes.length * count, bytes);

function attribute(key: string, value: string): Buffer {
  return Buffer.concat([text(1, key), field(2, text(1, value))]);
}

/** A metric with one point; `kind` is its field. Cumulative, if the kind has that. */
function metric(kind: number, point: Buffer): Buffer {
  const cumulative = Buffer.of(16, 2);
  return Buffer.concat([text(1, 'm'), field(kind, Buffer.concat([field(1, point), cumulative]))]);
}

function request(ofResource: Buffer, ...scoped: readonly Buffer[]): Buffer {
  const scopesOf = scoped.map((metrics) => field(2, field(2, metrics)));
  return field(1, Buffer.concat([field(1, ofResource), ...scopesOf]));
}

function fixed(number: number, value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return Buffer.concat([varint(number * 8 + 1), bytes]);
}

const time = fixed(3, 1_700_000_000_000_000_000n);

function repeatedNames(count: number): Buffer {
  const names = repeated(field(1, attribute('service.name', 'a')), count);
  const attributes = repeated(field(7, attribute('k', '')), count);
  return request(names, metric(5, Buffer.concat([time, fixed(4, 0n), attributes])));
}

function bounds(count: number): Buffer {
  const sorted = Buffer.alloc(count * 8);
  for (let at = 0; at < count; at += 1) sorted.writeDoubleLE(at, at * 8);
  const point = [
    ...[time, fixed(4, 0n), field(6, Buffer.alloc((count + 1) * 8)), field(7, sorted)],
    field(9, attribute('k', 'x'.repeat(15_000))),
  ];
  return request(Buffer.alloc(0), metric(9, Buffer.concat(point)));
}

function scopes(count: number): Buffer {
  const ofResource = field(1, field(1, attribute('service.name', 'x'.repeat(kMiB))));
  const empty = repeated(field(2, Buffer.alloc(0)), count);
  return field(1, Buffer.concat([ofResource, empty]));
}

function quantiles(count: number): Buffer {
  const values = Array.from({ length: count }, (_, at) => {
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleLE(at / count);
    return field(6, Buffer.concat([Buffer.of(9), bytes]));
  });
  const point = Buffer.concat([time, fixed(4, 1n), ...values]);
  return request(Buffer.alloc(0), metric(11, point));
}
