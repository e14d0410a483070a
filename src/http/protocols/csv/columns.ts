/**
 * Parses the parameter `columns`, which describes the columns of a table. It is a CSV row of
 * `time[:NAME][:UNIT]`, `value[:NAME]`, `label:KEY`, `metric[:NAME]`, `kind`, `unit`, `description`,
 * `skip` and `empty`.
 */

import { AppError } from '../../../common/errors/app-error.js';
import { cellsOf } from '../../../common/tables/csv-text.js';
import { timestampUnits, type TimestampUnit } from '../../../common/model/timestamp-unit.js';

import type { ImportedColumn } from '../../../operations/ingest.js';

export interface SaidColumn extends ImportedColumn {
  /** The unit of a time column. */
  readonly timeUnit: TimestampUnit | null;
}

const kinds: readonly ImportedColumn['kind'][] = [
  ...(['time', 'metric', 'value', 'label', 'kind', 'unit', 'description'] as const),
  ...(['skip', 'empty'] as const),
];

/** Throws `invalid_columns`. */
export function parseColumns(text: string): readonly SaidColumn[] {
  const cells = cellsOf(text);
  if (cells === null) throw refused('columns has an unclosed quote, or text after a closing quote');
  const columns = cells.map((cell) => parseColumn(cell.trim()));
  checkColumns(columns);
  return columns;
}

function parseColumn(text: string): SaidColumn {
  const colon = text.indexOf(':');
  const word = colon < 0 ? text : text.slice(0, colon);
  const rest = colon < 0 ? '' : text.slice(colon + 1);
  const kind = word === '' ? 'skip' : kinds.find((one) => one === word);
  if (kind === undefined) {
    throw refused(`columns names "${word}", which is not one of ${kinds.join(', ')}`);
  }
  if (kind === 'label' && rest === '') throw refused('columns has a label without a key');
  return kind === 'time' ? timeColumn(rest) : { kind, name: rest, timeUnit: null };
}

/** `NAME`, `UNIT`, or `NAME:UNIT`. */
function timeColumn(rest: string): SaidColumn {
  const colon = rest.lastIndexOf(':');
  const last = rest.slice(colon + 1);
  const timeUnit = timestampUnits.find((unit) => unit === last) ?? null;
  if (colon >= 0 && timeUnit === null) {
    throw refused(
      `columns has the unit "${last}", which is not one of ${timestampUnits.join(', ')}`,
    );
  }
  const name = timeUnit === null ? rest : rest.slice(0, Math.max(colon, 0));
  return { kind: 'time', name, timeUnit };
}

/** Requires a time column, a value column, and no column twice. Throws `invalid_columns`. */
function checkColumns(columns: readonly SaidColumn[]): void {
  const needed = ['time', 'value'] as const;
  const missing = needed.find((kind) => !columns.some((one) => one.kind === kind));
  if (missing !== undefined) throw refused(`columns has no ${missing}`);
  const said = columns.filter(({ kind }) => !isWithoutMeaning(kind)).map(meaningOf);
  const twice = said.find((one, at) => said.indexOf(one) !== at);
  if (twice !== undefined) throw refused(`columns has "${twice}" twice`);
}

function isWithoutMeaning(kind: ImportedColumn['kind']): boolean {
  return kind === 'skip' || kind === 'empty';
}

/** A key of the column's meaning, which must be unique. */
function meaningOf({ kind, name }: ImportedColumn): string {
  return kind === 'value' || kind === 'label' ? `${kind}:${name}` : kind;
}

/** Parses the parameter `labels`, a CSV row of `KEY:VALUE`. Throws `invalid_labels`. */
export function parseLabels(text: string): readonly (readonly [string, string])[] {
  const cells = cellsOf(text);
  if (cells === null) {
    throw refusedLabels('labels has an unclosed quote, or text after a closing quote');
  }
  const labels = cells.map((cell) => {
    const colon = cell.indexOf(':');
    if (colon > 0) return [cell.slice(0, colon), cell.slice(colon + 1)] as const;
    throw refusedLabels(`labels has "${cell}" instead of KEY:VALUE`);
  });
  const keys = labels.map(([key]) => key);
  const twice = keys.find((key, at) => keys.indexOf(key) !== at);
  if (twice !== undefined) throw refusedLabels(`labels has "${twice}" twice`);
  return labels;
}

function refusedLabels(message: string): AppError {
  return new AppError('invalid_labels', message);
}

/** The columns by position, for a table without a header. Throws `invalid_columns`. */
export function columnsInPlace(said: readonly SaidColumn[]): readonly ImportedColumn[] {
  const hasMetric = said.some(({ kind }) => kind === 'metric');
  if (!hasMetric && said.some(({ kind, name }) => kind === 'value' && name === '')) {
    throw refused('columns has a value without a metric, and no metric column');
  }
  return said.map(({ kind, name }) => ({ kind, name }));
}

export function refused(message: string): AppError {
  return new AppError('invalid_columns', message);
}
