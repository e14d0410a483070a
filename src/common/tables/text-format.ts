/** Detects the format of a file by its beginning. */

type TextFormat = 'ndjson' | 'csv' | 'parquet' | 'influx' | 'prometheus';

/** The beginning of an Influx line with at least one field. A string in it may hold anything. */
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
/** Line protocol may begin like this, but no realistic measurement has such a name. */
const labelledName = /^[a-zA-Z_:][\w:]*\s*\{\s*(?:[a-zA-Z_]\w*\s*=\s*)?"/;
const objectForm = /^\s*\{\s*["}]/;
const expositionComment = /^# (?:(?:HELP|TYPE|UNIT) |EOF$)/;

/** The format of the first lines; null if no format matches. */
export function formatOfText(beginning: string): TextFormat | null {
  if (beginning.startsWith('PAR1')) return 'parquet';
  const lines = beginning.split(/\r?\n/);
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

/** In exposition format, braces may also hold the labels of a sample and its name. */
function isObject(line: string): boolean {
  return objectForm.test(line) && !expositionForm.test(line);
}

/** Returns true for the beginning of one array of objects, which is not NDJSON. */
export function isArrayOfObjects(beginning: string): boolean {
  return /^\s*\[\s*\{/.test(beginning);
}

/** The most likely cell delimiter of a table with this header. */
export function delimiterOf(header: string): string | null {
  const counts = [',', '\t', ';', '|'].map((one) => [one, header.split(one).length - 1] as const);
  const [best] = counts.sort(([, left], [, right]) => right - left);
  return best === undefined || best[1] === 0 ? null : best[0];
}
