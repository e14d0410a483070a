/** The frame of a log, as docs/format/log.md draws it: enough of it to damage one with purpose. */

import { crc32c } from '../support/crc32c.js';

const headerSize = 20;
const payloadOffset = 17;
const lengthOffset = 4;
const typeOffset = 8;
const sequenceOffset = 9;
/** The marks of the write-ahead log. */
const firstMarkType = 4;

export interface LogRecord {
  readonly type: number;
  readonly sequence: bigint;
  readonly start: number;
  readonly end: number;
}

export function recordsOf(log: Buffer): readonly LogRecord[] {
  const records: LogRecord[] = [];
  for (let start = headerSize; start < log.length;) {
    const end = start + payloadOffset + log.readUInt32LE(start + lengthOffset);
    const type = log.readUInt8(start + typeOffset) & 0x7f;
    records.push({ type, sequence: log.readBigUInt64LE(start + sequenceOffset), start, end });
    start = end;
  }
  return records;
}

/** Those that the engine logs: no marks. */
export function dataOf(log: Buffer): readonly LogRecord[] {
  return recordsOf(log).filter(({ type }) => type < firstMarkType);
}

/** The same log up to the end of its last record that is no mark. */
export function withoutEnd(log: Buffer): Buffer {
  return log.subarray(0, dataOf(log).at(-1)?.end ?? headerSize);
}

export function withoutRecord(log: Buffer, record: LogRecord | undefined): Buffer {
  if (record === undefined) throw new Error('there is no such record');
  return Buffer.concat([log.subarray(0, record.start), log.subarray(record.end)]);
}

/** The log with one more record, whole in every way a checksum can tell. */
export function withRecord(log: Buffer, type: number, payload: readonly number[]): Buffer {
  const record = Buffer.alloc(payloadOffset + payload.length);
  record.writeUInt32LE(payload.length, lengthOffset);
  record.writeUInt8(type | 0x80, typeOffset);
  record.writeBigUInt64LE((recordsOf(log).at(-1)?.sequence ?? 0n) + 1n, sequenceOffset);
  record.set(payload, payloadOffset);
  record.writeUInt32LE(crc32c(record.subarray(lengthOffset)), 0);
  return Buffer.concat([log, record]);
}

export function flipped(bytes: Buffer, at: number): Buffer {
  const changed = Buffer.from(bytes);
  changed.writeUInt8(bytes.readUInt8(at) ^ 1, at);
  return changed;
}

/** A bit of the record's last byte, which belongs to its payload. */
export function flippedIn(log: Buffer, record: LogRecord | undefined): Buffer {
  if (record === undefined) throw new Error('there is no such record');
  return flipped(log, record.end - 1);
}

/** As it stands behind what it covers. */
export function checksumOf(bytes: Uint8Array): Buffer {
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32LE(crc32c(bytes), 0);
  return checksum;
}
