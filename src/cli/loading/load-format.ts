/** Detects the format of an input by its extension or its first bytes. */

import { formatOfName, tableFormats } from '../tabular/table-format.js';

export const loadFormats = [...tableFormats, 'influx', 'prometheus'] as const;
export type LoadFormat = (typeof loadFormats)[number];

const endings: Readonly<Record<string, LoadFormat>> = {
  ...{ jsonl: 'ndjson', tsv: 'csv', lp: 'influx', influx: 'influx', line: 'influx' },
  ...{ prom: 'prometheus', om: 'prometheus', openmetrics: 'prometheus' },
};

/** The format of a file name, plain or compressed; null if unknown. */
export function loadFormatOfName(name: string): LoadFormat | null {
  const ending = /\.([a-z]+)(?:\.(?:gz|zst))?$/i.exec(name)?.[1]?.toLowerCase() ?? '';
  return formatOfName(name) ?? (Object.hasOwn(endings, ending) ? (endings[ending] ?? null) : null);
}
