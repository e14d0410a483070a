/** Reads STREAMED_XOR_CHUNKS answers of remote_read, following the format's description. */

import { crc32c } from './crc32c.js';
import { fieldsOf, labelsOf, type ReadSeries } from './remote-read.js';

interface ReadChunk {
  readonly minMs: bigint;
  readonly maxMs: bigint;
  readonly encoding: number;
  readonly samples: ReadSeries['samples'];
}

export interface ReadFrame {
  /** Includes the bytes before the message. */
  readonly size: number;
  readonly queryIndex: number;
  readonly labels: string;
  readonly chunks: readonly ReadChunk[];
}

/** Throws if the stream is cut short or damaged. */
export function readFrames(stream: Buffer): readonly ReadFrame[] {
  const frames: ReadFrame[] = [];
  for (let at = 0; at < stream.length;) {
    const begin = at;
    let size = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = stream.readUInt8(at++);
      size += (byte & 127) * 2 ** shift;
      if (byte < 128) break;
    }
    const crc = stream.readUInt32BE(at);
    const message = stream.subarray(at + 4, at + 4 + size);
    at += 4 + size;
    if (message.length !== size) throw new Error('a frame is cut short');
    if (crc32c(message) !== crc) throw new Error('a frame is damaged');
    frames.push({ size: at - begin, ...frameOf(message) });
  }
  return frames;
}

function frameOf(message: Buffer): Omit<ReadFrame, 'size'> {
  const fields = fieldsOf(message);
  const series = fields.filter(({ number }) => number === 1);
  if (series.length !== 1) throw new Error(`a frame has ${String(series.length)} series`);
  const parts = fieldsOf(series[0]?.bytes ?? Buffer.alloc(0));
  return {
    queryIndex: Number(fields.find(({ number }) => number === 2)?.integer ?? 0n),
    labels: labelsOf(parts),
    chunks: parts.filter(({ number }) => number === 2).map(({ bytes }) => chunkOf(bytes)),
  };
}

function chunkOf(message: Buffer): ReadChunk {
  const fields = fieldsOf(message);
  const integer = (wanted: number) =>
    BigInt.asIntN(64, fields.find(({ number }) => number === wanted)?.integer ?? 0n);
  const bytes = fields.find(({ number }) => number === 4)?.bytes ?? Buffer.alloc(0);
  const samples = [...samplesOf(new Bits(bytes))];
  return { minMs: integer(1), maxMs: integer(2), encoding: Number(integer(3)), samples };
}

/** The series of each query, in the form of the other response type. */
export function seriesOfFrames(
  frames: readonly ReadFrame[],
  queryCount: number,
): readonly (readonly ReadSeries[])[] {
  const queries = Array.from({ length: queryCount }, () => new Map<string, ReadSeries>());
  for (const { queryIndex, labels, chunks } of frames) {
    const before = queries[queryIndex]?.get(labels)?.samples ?? [];
    const samples = [...before, ...chunks.flatMap((chunk) => chunk.samples)];
    queries[queryIndex]?.set(labels, { labels, samples });
  }
  return queries.map((series) => [...series.values()]);
}

class Bits {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  read(count: number): bigint {
    let value = 0n;
    for (let left = count; left > 0;) {
      const inByte = this.#at % 8;
      const taken = Math.min(left, 8 - inByte);
      const byte = this.#bytes.readUInt8(Math.floor(this.#at / 8));
      const bits = (byte >> (8 - inByte - taken)) & ((1 << taken) - 1);
      value = (value << BigInt(taken)) | BigInt(bits);
      this.#at += taken;
      left -= taken;
    }
    return value;
  }

  varint(): bigint {
    for (let value = 0n, shift = 0n; ; shift += 7n) {
      const byte = this.read(8);
      value |= (byte & 127n) << shift;
      if (byte < 128n) return value;
    }
  }
}

function* samplesOf(bits: Bits): Generator<ReadSeries['samples'][number]> {
  const count = Number(bits.read(16));
  let [ts, delta, value] = [0n, 0n, 0n];
  const window = { leading: 0n, size: 0n };
  for (let at = 0; at < count; ++at) {
    if (at === 0) {
      const folded = bits.varint();
      ts = (folded >> 1n) ^ -(folded & 1n);
      value = bits.read(64);
    } else {
      delta = at === 1 ? bits.varint() : delta + differenceOf(bits);
      ts = BigInt.asIntN(64, ts + delta);
      value ^= changeOf(bits, window);
    }
    yield { ts, bits: value, value: numberOf(value) };
  }
}

function differenceOf(bits: Bits): bigint {
  if (bits.read(1) === 0n) return 0n;
  const size = [14, 17, 20].find(() => bits.read(1) === 0n);
  if (size === undefined) return BigInt.asIntN(64, bits.read(64));
  const read = bits.read(size);
  return read <= 1n << BigInt(size - 1) ? read : read - (1n << BigInt(size));
}

function changeOf(bits: Bits, window: { leading: bigint; size: bigint }): bigint {
  if (bits.read(1) === 0n) return 0n;
  if (bits.read(1) === 1n) {
    window.leading = bits.read(5);
    const size = bits.read(6);
    window.size = size === 0n ? 64n : size;
  }
  return bits.read(Number(window.size)) << (64n - window.leading - window.size);
}

function numberOf(bits: bigint): number {
  const buffer = Buffer.alloc(8);
  buffer.writeBigUInt64LE(bits);
  return buffer.readDoubleLE();
}
