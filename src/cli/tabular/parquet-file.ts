/**
 * What we write into a Parquet file beside the table, so that damage anywhere in it is found:
 * Parquet's own checksums are optional, and few programs write or read them.
 */

import { crc32 } from 'node:zlib';

import { parquetMetadata, type FileMetaData, type ParquetParsers } from 'hyparquet';

import { kDayMs } from '../../common/model/duration.js';

import type { TimestampUnit } from '../../common/model/timestamp-unit.js';

/** The key of our entry among the file's metadata; its value is the JSON of a FileSeal. */
export const sealKey = 'seriesdb';

export interface FileSeal {
  readonly timestamp_unit: TimestampUnit;
  /** Of the rows' bytes, from the beginning of the file. */
  readonly data_size: number;
  readonly data_crc32: number;
  /** Of what the footer says, without this seal. */
  readonly footer_crc32: number;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const textOf = (bytes: Uint8Array | undefined): string | undefined =>
  bytes === undefined ? undefined : utf8.decode(bytes);
const same = (count: bigint): bigint => count;

/** Values as they are in the file: no time loses a digit, and no text a character. */
export const exactParsers: Partial<ParquetParsers> = {
  timestampFromMilliseconds: same,
  timestampFromMicroseconds: same,
  timestampFromNanoseconds: same,
  dateFromDays: (days) => new Date(days * kDayMs).toISOString().slice(0, 10),
  stringFromBytes: textOf,
  jsonFromBytes: textOf,
};

/** Throws where the bytes do not end in a footer. */
export function readFooter(bytes: ArrayBuffer): FileMetaData {
  return parquetMetadata(bytes, { parsers: exactParsers, geoparquet: false });
}

/** The sum of all that tells a reader where the rows are, and what they mean. */
export function footerSum({ schema, row_groups: groups, num_rows: rows }: FileMetaData): number {
  const text = JSON.stringify([schema, groups, rows], (_, one: unknown) =>
    typeof one === 'bigint' ? String(one) : one,
  );
  return crc32(text);
}

/** Null in a file that somebody else wrote. */
export function sealOf(metadata: FileMetaData): FileSeal | null {
  const entry = metadata.key_value_metadata?.find(({ key }) => key === sealKey);
  if (entry === undefined) return null;
  const seal: unknown = JSON.parse(entry.value ?? '');
  if (isSeal(seal)) return seal;
  throw new Error('its checksum entry cannot be read');
}

function isSeal(value: unknown): value is FileSeal {
  if (typeof value !== 'object' || value === null) return false;
  const members = value as Readonly<Record<string, unknown>>;
  const counts = ['data_size', 'data_crc32', 'footer_crc32'];
  return counts.every((name) => Number.isSafeInteger(members[name]));
}
