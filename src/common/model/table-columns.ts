/**
 * The columns of a database as a table: `ts_ms` (or the unit it has), `metric`, `value`, a column
 * for each key of labels, and what is known of the metric where anything is. A key that another
 * column's name could be taken for has `label.` before it, so that names and keys tell each other.
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

/** Of a metric, in a table of which at least one metric is described. */
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

/** The unit that the name of a column of times says; null where it says none. */
export function unitOfColumn(name: string): TimestampUnit | null {
  return timestampUnits.find((unit) => timeColumn(unit) === name) ?? null;
}

/** Every table begins with these. */
export function sampleColumns(unit: TimestampUnit): readonly string[] {
  return [timeColumn(unit), columnNames.metric, columnNames.value];
}

/** The keys of all labels, in the order of their columns. */
export function keysOf(metrics: readonly ExportedMetric[]): readonly string[] {
  return [...new Set(metrics.flatMap(({ labelKeys }) => labelKeys))].sort();
}

/** The columns behind those of samples: labels, and what describes metrics where anything does. */
export function namesOfTexts(metrics: readonly ExportedMetric[]): readonly string[] {
  const descriptions = metrics.some(isDescribed) ? descriptionColumns : [];
  return [...keysOf(metrics).map(columnOfKey), ...descriptions];
}

function columnOfKey(key: string): string {
  // A byte order mark at the beginning of a name is lost on many readers.
  const isTaken = reserved.has(key) || key.startsWith(labelPrefix) || key.startsWith('\ufeff');
  return isTaken ? labelPrefix + key : key;
}

export function keyOfColumn(name: string): string {
  return name.startsWith(labelPrefix) ? name.slice(labelPrefix.length) : name;
}

/** Columns that hold times, the first choice first, where nobody names one. */
export const timeChoices: readonly string[] = [columnNames.time, ...timeNames, 'time', 'timestamp'];
