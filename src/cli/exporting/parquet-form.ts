/**
 * Rows of a Parquet file, in row groups of bounded size. Times are 64-bit integers with a unit,
 * values are doubles, all other columns dictionary-encoded strings. A missing label is null.
 */

import { crc32 } from 'node:zlib';

import { ByteWriter, ParquetWriter } from 'hyparquet-writer';

import { columnNames, timeColumn } from '../../common/model/table-columns.js';
import { footerSum, readFooter, sealKey, type FileSeal } from '../tabular/parquet-file.js';

import { TextColumns, type ExportForm } from './export-form.js';

import type { LogicalType, SchemaElement } from 'hyparquet';
import type { TimestampUnit } from '../../common/model/timestamp-unit.js';
import type { ExportedMetric } from '../../common/model/exported-metric.js';
import type { SampleRun } from './sample-runs.js';

/** The most rows of a group. Readers parallelize by row group, and hold one in memory. */
const groupRowsMax = 131_072;
/** Bounds the memory of tables with very many columns. */
const groupCellsMax = 8 * 1024 * 1024;

const createdBy = 'seriesdb';

export class ParquetForm implements ExportForm {
  readonly #unit: TimestampUnit;
  readonly #columns: TextColumns;
  readonly #names: readonly string[];
  readonly #schema: SchemaElement[];
  readonly #bytes = new ByteWriter(1024 * 1024);
  readonly #writer: ParquetWriter;
  readonly #groupRows: number;
  #rows = 0;
  #times: BigInt64Array;
  #values: Float64Array;
  /** Per string column. */
  #texts: (string | null)[][];
  #dataSize = 0;
  #dataSum = 0;

  constructor(unit: TimestampUnit, metrics: readonly ExportedMetric[]) {
    this.#unit = unit;
    this.#columns = new TextColumns(metrics);
    this.#names = [columnNames.metric, ...this.#columns.names];
    this.#schema = schemaOf(unit, this.#names);
    this.#writer = new ParquetWriter({ writer: this.#bytes, schema: this.#schema, createdBy });
    const columns = this.#names.length + 2;
    this.#groupRows = Math.max(1, Math.min(groupRowsMax, Math.floor(groupCellsMax / columns)));
    this.#times = new BigInt64Array(this.#groupRows);
    this.#values = new Float64Array(this.#groupRows);
    this.#texts = this.#names.map(() => []);
  }

  begin(): Uint8Array {
    return this.#takeData();
  }

  print(run: SampleRun): Uint8Array | null {
    const texts = this.#columns.cellsOf(run);
    if (texts === null) return null;
    const row = [run.metric.name, ...texts];
    for (const { ts, value } of run.samples) {
      if (this.#rows === this.#groupRows) this.#writeGroup();
      this.#times[this.#rows] = BigInt(ts);
      this.#values[this.#rows] = Number(value);
      for (let at = 0; at < row.length; at += 1) this.#texts[at]?.push(row[at] ?? null);
      this.#rows += 1;
    }
    return this.#takeData();
  }

  end(): Uint8Array {
    this.#writeGroup();
    const data = this.#takeData();
    const seal: FileSeal = {
      timestamp_unit: this.#unit,
      data_size: this.#dataSize,
      data_crc32: this.#dataSum,
      footer_crc32: footerSum(readFooter(this.#footer())),
    };
    this.#writer.kvMetadata = [{ key: sealKey, value: JSON.stringify(seal) }];
    // Without a flush, finish() completes synchronously.
    void this.#writer.finish();
    return Buffer.concat([data, this.#bytes.getBytes()]);
  }

  #writeGroup(): void {
    if (this.#rows === 0) return;
    const times = this.#times.subarray(0, this.#rows);
    const values = this.#values.subarray(0, this.#rows);
    const columnData = [
      // A dictionary would merge 0 and -0.
      { name: timeColumn(this.#unit), data: times, encoding: 'DELTA_BINARY_PACKED' as const },
      { name: columnNames.value, data: values, encoding: 'PLAIN' as const },
      ...this.#names.map((name, at) => ({
        ...{ name, data: this.#texts[at] ?? [], encoding: 'RLE_DICTIONARY' as const },
      })),
    ].map((column) => ({ ...column, offsetIndex: false }));
    void this.#writer.write({ columnData, rowGroupSize: this.#rows });
    this.#texts = this.#names.map(() => []);
    this.#rows = 0;
  }

  /** The bytes written since the last call. */
  #takeData(): Uint8Array {
    if (this.#bytes.index === 0) return new Uint8Array();
    const data = this.#bytes.getBytes().slice();
    this.#bytes.index = 0;
    this.#dataSize += data.length;
    this.#dataSum = crc32(data, this.#dataSum);
    return data;
  }

  /** The metadata without the seal. */
  #footer(): ArrayBuffer {
    const bytes = new ByteWriter();
    const footer = new ParquetWriter({ writer: bytes, schema: this.#schema, createdBy });
    footer.row_groups = this.#writer.row_groups;
    footer.num_rows = this.#writer.num_rows;
    void footer.finish();
    return bytes.getBuffer();
  }
}

function schemaOf(unit: TimestampUnit, names: readonly string[]): SchemaElement[] {
  return [
    { name: 'samples', num_children: names.length + 2 },
    {
      ...{ name: timeColumn(unit), type: 'INT64', repetition_type: 'REQUIRED' },
      ...timeTypes[unit],
    },
    { name: columnNames.value, type: 'DOUBLE', repetition_type: 'REQUIRED' },
    ...names.map((name): SchemaElement => ({
      ...{ name, type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
      repetition_type: name === columnNames.metric ? 'REQUIRED' : 'OPTIONAL',
    })),
  ];
}

const timestamp = (unit: 'MILLIS' | 'MICROS' | 'NANOS'): LogicalType => ({
  ...{ type: 'TIMESTAMP', isAdjustedToUTC: true, unit },
});

/** Parquet has no type for times in seconds. */
const timeTypes: Readonly<Record<TimestampUnit, Partial<SchemaElement>>> = {
  s: {},
  ms: { converted_type: 'TIMESTAMP_MILLIS', logical_type: timestamp('MILLIS') },
  us: { converted_type: 'TIMESTAMP_MICROS', logical_type: timestamp('MICROS') },
  ns: { logical_type: timestamp('NANOS') },
};
