/**
 * The seal that seriesdb adds to Parquet files, so that any damage is detected. Parquet's own
 * checksums are optional, and few programs write or read them.
 */

import { crc32 } from 'node:zlib';

import { parquetMetadata, type FileMetaData, type ParquetParsers } from 'hyparquet';

import { kDayMs } from '../../common/model/duration.js';

import type { TimestampUnit } from '../../common/model/timestamp-unit.js';

/** The metadata key of the seal; its value is the JSON of a FileSeal. */
export const sealKey = 'seriesdb';

export interface FileSeal {
  readonly timestamp_unit: TimestampUnit;
  /** The size of the row data from the start of the file, in bytes. */
  readonly data_size: number;
  readonly data_crc32: number;
  /** The checksum of the footer without this seal. */
  readonly footer_crc32: number;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const textOf = (bytes: Uint8Array | undefined): string | undefined =>
  bytes === undefined ? undefined : utf8.decode(bytes);
const same = (count: bigint): bigint => count;

/** Parsers without loss: no time loses a digit, and no text a character. */
export const exactParsers: Partial<ParquetParsers> = {
  timestampFromMilliseconds: same,
  timestampFromMicroseconds: same,
  timestampFromNanoseconds: same,
  dateFromDays: (days) => new Date(days * kDayMs).toISOString().slice(0, 10),
  stringFromBytes: textOf,
  jsonFromBytes: textOf,
};

/** Throws if the bytes do not end with a footer. */
export function readFooter(bytes: ArrayBuffer): FileMetaData {
  return parquetMetadata(bytes, { parsers: exactParsers, geoparquet: false });
}

/** The checksum of all metadata that locates and types the rows. */
export function footerSum({ schema, row_groups: groups, num_rows: rows }: FileMetaData): number {
  const text = JSON.stringify([schema, groups, rows], (_, one: unknown) =>
    typeof one === 'bigint' ? String(one) : one,
  );
  return crc32(text);
}

/** Null in a file that another program wrote. */
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
