/** The text around the cells of a row: JSON arrays, CSV, or one JSON object per line. */

import type { OutputColumn } from '../plan/plan.js';
import type { RowLayout } from '../execute/execution.js';

export type ResultFormat = 'json' | 'csv' | 'ndjson';

export function rowLayout(format: ResultFormat, columns: readonly OutputColumn[]): RowLayout {
  switch (format) {
    case 'json': {
      const before = columns.map((_, at) => (at === 0 ? '[' : ','));
      return { before, rowEnd: ']', between: ',', isCsv: false };
    }
    case 'csv': {
      const before = columns.map((_, at) => (at === 0 ? '' : ','));
      return { before, rowEnd: '\r\n', between: '', isCsv: true };
    }
    case 'ndjson': {
      const keys = uniqueNames(columns).map((name) => `${JSON.stringify(name)}:`);
      const before = keys.map((key, at) => (at === 0 ? `{${key}` : `,${key}`));
      return { before, rowEnd: '}\n', between: '', isCsv: false };
    }
  }
}

/** Stable function objects, so that a layout can be identified by identity. */
export const layouts: Readonly<
  Record<ResultFormat, (columns: readonly OutputColumn[]) => RowLayout>
> = {
  json: (columns) => rowLayout('json', columns),
  csv: (columns) => rowLayout('csv', columns),
  ndjson: (columns) => rowLayout('ndjson', columns),
};

/** A repeated name gets `_2`, `_3`, … */
export function uniqueNames(columns: readonly OutputColumn[]): readonly string[] {
  const taken = new Set(columns.map(({ name }) => name));
  /** The number of occurrences of each name. */
  const counts = new Map<string, number>();
  return columns.map(({ name }) => {
    let at = (counts.get(name) ?? 0) + 1;
    let unique = name;
    if (at > 1) {
      while (taken.has(`${name}_${at}`)) at += 1;
      unique = `${name}_${at}`;
      taken.add(unique);
    }
    counts.set(name, at);
    return unique;
  });
}
