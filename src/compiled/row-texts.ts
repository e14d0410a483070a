/**
 * Rows as JSON texts straight from columns: for answers of many plain rows, of which making values
 * and then text of each would be most of the work.
 */

import { labelsText, printFloat } from '../seriesql/evaluate.js';
import { labelOf } from '../seriesql/selection-match.js';

import type { RowTexts } from '../seriesql/execution.js';
import type { ColumnItem } from '../seriesql/plan/plan.js';
import type { SeriesInfo } from '../seriesql/source.js';
import type { Value } from '../seriesql/value.js';
import type { ColumnBatch, TableColumn } from '../storage/storage.js';

/** The text of a column in a row. */
export type Cell = (row: number) => string;

/** Texts of the rows from `from` up to `to`. */
export function joinRows(cells: readonly Cell[], from: number, to: number): RowTexts {
  let text = '';
  for (let row = from; row < to; row++) {
    text += row === from ? '[' : ',[';
    for (const [at, cell] of cells.entries()) text += at === 0 ? cell(row) : `,${cell(row)}`;
    text += ']';
  }
  return { text, count: to - from };
}

/** `read` gives the values of the column, of which equal ones often follow one another. */
export function tableCell(column: TableColumn | undefined, read: (row: number) => Value): Cell {
  if (column instanceof Float64Array) {
    return (row) => {
      const value = read(row);
      return value === null ? 'null' : printFloat(Number(value));
    };
  }
  if (column === undefined || column instanceof BigInt64Array || column instanceof BigUint64Array) {
    return repeated(read);
  }
  const texts = column.texts.map((text) => JSON.stringify(text));
  return (row) => texts[column.codes[row] ?? texts.length] ?? 'null';
}

function repeated(read: (row: number) => Value): Cell {
  let last: Value = null;
  let text = 'null';
  return (row) => {
    const value = read(row);
    if (value !== last) {
      last = value;
      text = String(value);
    }
    return text;
  };
}

/** The cells of raw rows; null where an item is more than a column. */
export function sampleCells(
  items: readonly ColumnItem[],
  all: readonly SeriesInfo[],
): ((batch: ColumnBatch) => readonly Cell[]) | null {
  const makers: ((batch: ColumnBatch) => Cell)[] = [];
  for (const { expr } of items) {
    if (expr.kind === 'column' && expr.column === 'time') {
      makers.push(({ ts }) => repeated((row) => ts[row] ?? null));
    } else if (expr.kind === 'column' && expr.column === 'value') {
      makers.push(
        ({ values }) =>
          (row) =>
            printFloat(values[row] ?? 0),
      );
    } else {
      const print = seriesPrinter(expr);
      if (print === null) return null;
      const texts: string[] = [];
      makers.push(({ series }) => (row) => {
        const place = series[row] ?? 0;
        const info = all[place];
        return (texts[place] ??= info === undefined ? 'null' : print(info));
      });
    }
  }
  return (batch) => makers.map((make) => make(batch));
}

function seriesPrinter(expr: ColumnItem['expr']): ((series: SeriesInfo) => string) | null {
  switch (expr.kind) {
    case 'label':
      return (series) => JSON.stringify(labelOf(series, expr.key));
    case 'labels':
      return (series) => JSON.stringify(labelsText(series));
    case 'column':
      return expr.column === 'metric' ? ({ name }) => JSON.stringify(name) : ({ id }) => String(id);
    default:
      return null;
  }
}
