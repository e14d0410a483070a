/** Which form an input has: as its name's ending says, or else as it begins. */

import { formatOfName, tableFormats } from '../tabular/table-format.js';

export const loadFormats = [...tableFormats, 'influx', 'prometheus'] as const;
export type LoadFormat = (typeof loadFormats)[number];

const endings: Readonly<Record<string, LoadFormat>> = {
  ...{ jsonl: 'ndjson', tsv: 'csv', lp: 'influx', influx: 'influx', line: 'influx' },
  ...{ prom: 'prometheus', om: 'prometheus', openmetrics: 'prometheus' },
};

/** What a file's name says, plain or compressed; null where it says nothing. */
export function loadFormatOfName(name: string): LoadFormat | null {
  const ending = /\.([a-z]+)(?:\.(?:gz|zst))?$/i.exec(name)?.[1]?.toLowerCase() ?? '';
  return formatOfName(name) ?? (Object.hasOwn(endings, ending) ? (endings[ending] ?? null) : null);
}
