/** Prometheus remote_write requests, as bytes. */

export interface SentSeries {
  readonly labels: Readonly<Record<string, string>>;
  /** Times in milliseconds; a bigint value gives the bits. */
  readonly samples: readonly (readonly [ts: number | bigint, value: number | bigint])[];
}

export interface SentMetadata {
  /** 1 is a counter, 2 a gauge, 3 a histogram. */
  readonly kind: number;
  readonly family: string;
  readonly help: string;
}

export function writeRequest(
  series: readonly SentSeries[],
  metadata: readonly SentMetadata[] = [],
): Buffer {
  return Buffer.concat([
    ...series.map((one) => field(1, seriesMessage(one))),
    ...metadata.map(({ kind, family, help }) =>
      field(3, Buffer.concat([varint(8), varint(kind), text(2, family), text(4, help)])),
    ),
  ]);
}

/** The same in version 2.0. `metadata` applies to every series; its families do not count. */
export function secondRequest(
  series: readonly SentSeries[],
  metadata?: Omit<SentMetadata, 'family'>,
): Buffer {
  const symbols: string[] = [''];
  const numberOf = (symbol: string): Buffer => {
    if (!symbols.includes(symbol)) symbols.push(symbol);
    return varint(symbols.indexOf(symbol));
  };
  const messages = series.map(({ labels, samples }) =>
    Buffer.concat([
      field(1, Buffer.concat(Object.entries(labels).flat().map(numberOf))),
      ...samples.map(([ts, value]) => field(2, sampleMessage(ts, value))),
      ...(metadata === undefined
        ? []
        : [
            field(
              5,
              Buffer.concat([
                varint(8),
                varint(metadata.kind),
                varint(24),
                numberOf(metadata.help),
              ]),
            ),
          ]),
    ]),
  );
  return Buffer.concat([
    ...symbols.map((symbol) => text(4, symbol)),
    ...messages.map((message) => field(5, message)),
  ]);
}

/** In snappy's block format, without any compression. */
export function snappy(body: Uint8Array): Buffer {
  const parts = [varint(body.length)];
  for (let at = 0; at < body.length; at += 60) {
    const piece = body.subarray(at, at + 60);
    parts.push(Buffer.of((piece.length - 1) << 2), Buffer.from(piece));
  }
  return Buffer.concat(parts);
}

function seriesMessage({ labels, samples }: SentSeries): Buffer {
  return Buffer.concat([
    ...Object.entries(labels).map(([key, value]) =>
      field(1, Buffer.concat([text(1, key), text(2, value)])),
    ),
    ...samples.map(([ts, value]) => field(2, sampleMessage(ts, value))),
  ]);
}

function sampleMessage(ts: number | bigint, value: number | bigint): Buffer {
  const bits = Buffer.alloc(9);
  bits.writeUInt8(9);
  if (typeof value === 'bigint') bits.writeBigUInt64LE(value, 1);
  else bits.writeDoubleLE(value, 1);
  return Buffer.concat([bits, varint(16), varint(ts)]);
}

export function field(number: number, bytes: Uint8Array): Buffer {
  return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
}

export function text(number: number, value: string): Buffer {
  return field(number, Buffer.from(value));
}

export function varint(value: number | bigint): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return Buffer.from([...bytes, Number(rest)]);
}
