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

/** The beginning of a line with at least one field; a text in one may hold anything. */
const influxForm = new RegExp(
  [
    String.raw`^(?!#)(?:[^,\s\\]|\\.)+(?:,(?:[^,=\s\\]|\\.)+=(?:[^,=\s\\]|\\.)*)*`,
    String.raw` +(?:[^,=\s\\]|\\.)+=["+\-.\dtTfF]`,
  ].join(''),
);
const expositionForm = new RegExp(
  [
    String.raw`^(?:[a-zA-Z_:][\w:]*\s*(?:\{.*\})?|\{.*\})\s*[+-]?(?:\d|\.\d|nan|inf)\S*`,
    String.raw`(?:\s+-?\d\S*)?(?:\s+#.*)?$`,
  ].join(''),
  'i',
);
/** Line protocol may begin so, but nobody names a measurement like that. */
const labelledName = /^[a-zA-Z_:][\w:]*\s*\{\s*(?:[a-zA-Z_]\w*\s*=\s*)?"/;
const objectForm = /^\s*\{\s*["}]/;
const expositionComment = /^# (?:(?:HELP|TYPE|UNIT) |EOF$)/;

/** What its first lines are; null where they are none of all. */
export function loadFormatOfText(beginning: Buffer): LoadFormat | null {
  if (beginning.subarray(0, 4).toString('latin1') === 'PAR1') return 'parquet';
  const lines = beginning.toString('utf8').split(/\r?\n/);
  const said = lines.filter((line) => line.trim() !== '');
  const [first = ''] = said;
  if (isObject(first)) return 'ndjson';
  if (said.some((line) => expositionComment.test(line))) return 'prometheus';
  const sample = said.find((line) => !line.startsWith('#')) ?? '';
  const isExposition = expositionForm.test(sample);
  if (isExposition && labelledName.test(sample)) return 'prometheus';
  if (influxForm.test(sample)) return 'influx';
  if (isExposition) return 'prometheus';
  if (said.some(isObject)) return 'ndjson';
  return delimiterOf(first) === null ? null : 'csv';
}

/** In braces stand the labels of a sample, too, and its name among them. */
function isObject(line: string): boolean {
  return objectForm.test(line) && !expositionForm.test(line);
}

/** Whether it begins like one array of objects, which are no lines. */
export function isArrayOfObjects(beginning: Buffer): boolean {
  return /^\s*\[\s*\{/.test(beginning.toString('utf8'));
}

/** What most likely stands between the cells of a table with this line of names. */
export function delimiterOf(header: string): string | null {
  const counts = [',', '\t', ';', '|'].map((one) => [one, header.split(one).length - 1] as const);
  const [best] = counts.sort(([, left], [, right]) => right - left);
  return best === undefined || best[1] === 0 ? null : best[0];
}
