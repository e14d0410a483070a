/** Prometheus remote_read requests and answers, as bytes. */

import { field, snappy, text, varint } from './remote-write.js';

export type AskedMatcher = readonly [
  key: string,
  op: '=' | '!=' | '=~' | '!~',
  value: string | Uint8Array,
];

export interface AskedRead {
  /** In milliseconds. */
  readonly start: number | bigint;
  readonly end: number | bigint;
  readonly matchers: readonly AskedMatcher[];
}

export interface ReadSeries {
  /** In PromQL's notation, in order of arrival. */
  readonly labels: string;
  readonly samples: readonly {
    readonly ts: bigint;
    readonly bits: bigint;
    readonly value: number;
  }[];
}

const ops = ['=', '!=', '=~', '!~'];

export function readRequest(
  reads: readonly AskedRead[],
  responseTypes: readonly (number | bigint)[] = [],
): Buffer {
  return Buffer.concat([
    ...reads.map((read) => field(1, queryMessage(read))),
    ...responseTypes.map((type) => Buffer.concat([varint(16), varint(type)])),
  ]);
}

function queryMessage({ start, end, matchers }: AskedRead): Buffer {
  return Buffer.concat([
    ...[varint(8), varint(start), varint(16), varint(end)],
    ...matchers.map(([key, op, value]) =>
      field(
        3,
        Buffer.concat([
          ...[varint(8), varint(ops.indexOf(op)), text(2, key)],
          field(3, typeof value === 'string' ? Buffer.from(value) : value),
        ]),
      ),
    ),
    // Hints, which only Prometheus uses.
    field(
      4,
      Buffer.concat([
        ...[varint(8), varint(60_000), text(2, 'rate')],
        ...[varint(24), varint(start), varint(32), varint(end)],
      ]),
    ),
  ]);
}

interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
}

/** Sends a body, as Prometheus does. */
export async function postRead(
  port: number,
  body: Uint8Array<ArrayBuffer>,
  headers: Readonly<Record<string, string>> = {},
): Promise<RawAnswer> {
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/read`, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-protobuf',
      'content-encoding': 'snappy',
      ...headers,
    },
    body,
  });
  const bytes = Buffer.from(await answer.arrayBuffer());
  return { status: answer.status, headers: answer.headers, bytes };
}

/** The series of each query; throws the server's message if it refuses. */
export async function remoteRead(
  port: number,
  reads: readonly AskedRead[],
  headers: Readonly<Record<string, string>> = {},
): Promise<readonly (readonly ReadSeries[])[]> {
  const { status, bytes } = await postRead(port, Buffer.from(snappy(readRequest(reads))), headers);
  if (status !== 200) throw new Error(`${status}: ${bytes.toString()}`);
  return readResponse(unsnappy(bytes));
}

export function readResponse(message: Buffer): readonly (readonly ReadSeries[])[] {
  return fieldsOf(message).map(({ bytes }) => fieldsOf(bytes).map((one) => seriesOf(one.bytes)));
}

function seriesOf(message: Buffer): ReadSeries {
  const fields = fieldsOf(message);
  const samples = fields
    .filter(({ number }) => number === 2)
    .map(({ bytes }) => {
      const [value, ts] = fieldsOf(bytes);
      const bits = value?.integer ?? 0n;
      const buffer = Buffer.alloc(8);
      buffer.writeBigUInt64LE(bits);
      return { ts: BigInt.asIntN(64, ts?.integer ?? 0n), bits, value: buffer.readDoubleLE() };
    });
  return { labels: labelsOf(fields), samples };
}

/** The labels in a series' fields, in both response types. */
export function labelsOf(fields: readonly Field[]): string {
  const labels = fields
    .filter(({ number }) => number === 1)
    .map(({ bytes }) => fieldsOf(bytes).map((part) => part.bytes.toString()))
    .map(([key = '', value = '']) => `${key}=${JSON.stringify(value)}`);
  return `{${labels.join(',')}}`;
}

interface Field {
  readonly number: number;
  readonly integer: bigint;
  readonly bytes: Buffer;
}

export function fieldsOf(message: Buffer): readonly Field[] {
  const fields: Field[] = [];
  let at = 0;
  const integer = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = BigInt(message.readUInt8(at++));
      value |= (byte & 127n) << shift;
      if (byte < 128n) return value;
    }
  };
  while (at < message.length) {
    const tag = Number(integer());
    const number = tag >> 3;
    if ((tag & 7) === 0) {
      fields.push({ number, integer: integer(), bytes: Buffer.alloc(0) });
    } else if ((tag & 7) === 1) {
      fields.push({ number, integer: message.readBigUInt64LE(at), bytes: Buffer.alloc(0) });
      at += 8;
    } else {
      const size = Number(integer());
      if (at + size > message.length) throw new Error('a field is cut short');
      fields.push({ number, integer: 0n, bytes: message.subarray(at, at + size) });
      at += size;
    }
  }
  return fields;
}

/** Decodes snappy's block format, following its description. */
export function unsnappy(block: Buffer): Buffer {
  let at = 0;
  const number = (size: number): number => {
    at += size;
    return block.readUIntLE(at - size, size);
  };
  let size = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = number(1);
    size += (byte & 127) * 2 ** shift;
    if (byte < 128) break;
  }
  const out = Buffer.alloc(size);
  let end = 0;
  while (at < block.length) {
    const tag = number(1);
    if ((tag & 3) === 0) {
      const code = tag >> 2;
      const count = 1 + (code < 60 ? code : number(code - 59));
      block.copy(out, end, at, at + count);
      at += count;
      end += count;
      continue;
    }
    const isShort = (tag & 3) === 1;
    const count = isShort ? 4 + ((tag >> 2) & 7) : 1 + (tag >> 2);
    const offset = isShort ? ((tag >> 5) << 8) | number(1) : number((tag & 3) === 2 ? 2 : 4);
    for (let i = 0; i < count; ++i, ++end) out[end] = out[end - offset] ?? 0;
  }
  if (end !== size) throw new Error(`snappy: ${end} bytes of ${size}`);
  return out;
}
