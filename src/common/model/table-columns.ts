/**
 * The columns of a database as a table. They are `ts_ms` (or another unit), `metric`, `value`, one
 * column per label key, and descriptors, if any. A key that equals another column's name gets the
 * prefix `label.`, so that names and keys stay distinct.
 */

import { isDescribed, type ExportedMetric } from './exported-metric.js';
import { timestampUnits, type TimestampUnit } from './timestamp-unit.js';

export const columnNames = {
  time: 'ts',
  metric: 'metric',
  value: 'value',
  kind: 'metric_kind',
  unit: 'metric_unit',
  description: 'metric_description',
} as const;

/** The columns of descriptors. A table has them if at least one of its metrics is described. */
export const descriptionColumns = [
  columnNames.kind,
  columnNames.unit,
  columnNames.description,
] as const;

const labelPrefix = 'label.';

const timeNames = timestampUnits.map((unit) => `${columnNames.time}_${unit}`);
const reserved: ReadonlySet<string> = new Set([...Object.values(columnNames), ...timeNames]);

export function timeColumn(unit: TimestampUnit): string {
  return `${columnNames.time}_${unit}`;
}

/** The unit in the name of a time column; null if the name has none. */
export function unitOfColumn(name: string): TimestampUnit | null {
  return timestampUnits.find((unit) => timeColumn(unit) === name) ?? null;
}

/** The first columns of every table. */
export function sampleColumns(unit: TimestampUnit): readonly string[] {
  return [timeColumn(unit), columnNames.metric, columnNames.value];
}

/** The keys of all labels, in column order. */
export function keysOf(metrics: readonly ExportedMetric[]): readonly string[] {
  return [...new Set(metrics.flatMap(({ labelKeys }) => labelKeys))].sort();
}

/** The columns after the sample columns: labels, and descriptors if a metric has one. */
export function namesOfTexts(metrics: readonly ExportedMetric[]): readonly string[] {
  const descriptions = metrics.some(isDescribed) ? descriptionColumns : [];
  return [...keysOf(metrics).map(columnOfKey), ...descriptions];
}

function columnOfKey(key: string): string {
  // Many readers drop a byte order mark at the beginning of a name.
  const isTaken = reserved.has(key) || key.startsWith(labelPrefix) || key.startsWith('\ufeff');
  return isTaken ? labelPrefix + key : key;
}

export function keyOfColumn(name: string): string {
  return name.startsWith(labelPrefix) ? name.slice(labelPrefix.length) : name;
}

/** Names of time columns, in order of preference. */
export const timeChoices: readonly string[] = [columnNames.time, ...timeNames, 'time', 'timestamp'];

/** The content of a column, as the server's parser of CSV names it. */
export interface ColumnRole {
  readonly kind:
    ('time' | 'metric' | 'value' | 'label' | 'kind' | 'unit' | 'description') | ('skip' | 'empty');
  /** The key of a label, the metric of a value, or its suffix if there is a metric column. */
  readonly name: string;
}

/** How the server's parser reads the rows of a table, as POST /api/v1/import/csv takes it. */
export interface TableForm {
  readonly columns: readonly ColumnRole[];
  /** The unit of integer times. */
  readonly precision: TimestampUnit;
  /** Labels of all rows. */
  readonly labels: Readonly<Record<string, string>>;
  /** Blank text that is skipped. */
  readonly skip_blanks: 'all' | 'values' | 'none';
}
