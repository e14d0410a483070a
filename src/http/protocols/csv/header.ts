/** Finds the columns of a table by the names in its header. */

import { cellsOf } from '../../../common/tables/csv-text.js';
import {
  columnNames,
  keyOfColumn,
  timeChoices,
  unitOfColumn,
} from '../../../common/model/table-columns.js';

import { columnsInPlace, refused, type SaidColumn } from './columns.js';

import type { TimestampUnit } from '../../../common/model/timestamp-unit.js';
import type { ImportedColumn } from '../../../operations/ingest.js';

export interface HeadedColumns {
  readonly columns: readonly ImportedColumn[];
  /** The unit of the times; null if neither `columns` nor the header has one. */
  readonly unit: TimestampUnit | null;
}

const defaultNames: Readonly<Record<string, string>> = {
  ...{ metric: columnNames.metric, value: columnNames.value },
  ...{ kind: columnNames.kind, unit: columnNames.unit, description: columnNames.description },
};

/**
 * Finds the columns of `said` by name and skips the others. Without `said`, expects the columns of
 * `seriesdb export`. Throws `invalid_columns`.
 */
export function columnsOfHeader(
  header: string,
  said: readonly SaidColumn[] | undefined,
): HeadedColumns {
  refuseSeparatorLine(header);
  const names = cellsOf(header.replace(/^\ufeff/, '').replace(/\r?\n?$/, ''));
  if (names === null)
    throw refused('the header has an unclosed quote, or text after a closing quote');
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw refused(`the header has the column "${twice}" twice`);
  const [only = '', ...more] = names;
  const mark = more.length === 0 ? /[;\t|]/.exec(only)?.[0] : undefined;
  if (mark !== undefined) {
    const shown = mark === '\t' ? 'tabs' : `"${mark}"`;
    throw refused(`the header has no comma, but ${shown}: cells must be separated by commas`);
  }
  return said === undefined ? exported(names) : chosen(names, said);
}

/** Excel's `sep=;` as the first line. Throws `invalid_columns`. */
export function refuseSeparatorLine(line: string): void {
  const told = /^\ufeff?sep=([^\r\n]?)\r?\n?$/i.exec(line)?.[1];
  if (told === undefined) return;
  const also = told === ',' ? '' : ', and separate cells by commas';
  throw refused(`the first line is Excel's "sep=${told}": leave it out${also}`);
}

function chosen(names: readonly string[], said: readonly SaidColumn[]): HeadedColumns {
  const columns = names.map(skipped);
  let unit: TimestampUnit | null = null;
  for (const column of said) {
    if (column.kind === 'skip') continue;
    const name = nameOf(column, names);
    const at = names.indexOf(name);
    if (at < 0) throw refused(`the header has no column "${name}"`);
    if (columns[at]?.kind !== 'skip') throw refused(`the column "${name}" is given two roles`);
    columns[at] = column;
    if (column.kind === 'time') unit = column.timeUnit ?? unitOfColumn(name);
  }
  return { columns: columnsInPlace(columns), unit };
}

/** The column's name in the header. */
function nameOf({ kind, name }: SaidColumn, names: readonly string[]): string {
  if (name !== '') return name;
  return kind === 'time' ? timeName(names) : (defaultNames[kind] ?? '');
}

function exported(names: readonly string[]): HeadedColumns {
  const time = timeName(names);
  const meanings = new Map(Object.entries(defaultNames).map(([kind, name]) => [name, kind]));
  for (const name of [columnNames.metric, columnNames.value]) {
    if (!names.includes(name)) {
      throw refused(`the header has no column "${name}"; describe the columns by columns`);
    }
  }
  const columns = names.map((name): ImportedColumn => {
    if (name === time) return { kind: 'time', name };
    const kind = meanings.get(name) as ImportedColumn['kind'] | undefined;
    if (kind !== undefined) return { kind, name: '' };
    const key = keyOfColumn(name);
    if (key === '') throw refused('the header has a column without a name');
    return { kind: 'label', name: key };
  });
  return { columns, unit: unitOfColumn(time) };
}

function timeName(names: readonly string[]): string {
  const name = timeChoices.find((one) => names.includes(one));
  if (name !== undefined) return name;
  throw refused('no column of the header is recognized as time; name it by time:NAME');
}

function skipped(): SaidColumn {
  return { kind: 'skip', name: '', timeUnit: null };
}
