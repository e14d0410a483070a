/** Series in the notation of the scripts: `name{key="text"} 1 2 _ 0+10x5`. */

export type Labels = Readonly<Record<string, string>>;

/** Null: no sample. 'stale' is a marker. */
export type Noted = number | null | 'stale';

export interface NotedSeries {
  readonly labels: Labels;
  readonly values: readonly Noted[];
  /** True if some values are native histograms. */
  readonly isNative: boolean;
}

/** Reads a series line; a lone number has no labels and is not a series. */
export function readSeries(line: string): NotedSeries {
  const { labels, rest } = readLabels(line);
  if (rest.includes('{{')) return { labels, values: [], isNative: true };
  const values = rest
    .trim()
    .split(/\s+/)
    .filter((part) => part !== '')
    .flatMap(valuesOf);
  return { labels, values, isNative: false };
}

function readLabels(line: string): { readonly labels: Labels; readonly rest: string } {
  const labels: Record<string, string> = {};
  const name = /^[a-zA-Z_:][\w:.]*/.exec(line)?.[0] ?? '';
  if (name !== '') labels['__name__'] = name;
  let at = name.length;
  if (line[at] !== '{' || line[at + 1] === '{') return { labels, rest: line.slice(at) };
  at += 1;
  for (;;) {
    const part =
      /^[\s,]*(?:("(?:[^"\\]|\\.)*"|[\w:.]+)\s*(?:=\s*("(?:[^"\\]|\\.)*"|'[^']*'))?|(\}))/.exec(
        line.slice(at),
      );
    if (part === null) throw new Error(`no labels: ${line}`);
    at += part[0].length;
    if (part[3] !== undefined) return { labels, rest: line.slice(at) };
    const [, key = '', text] = part;
    const value = text === undefined ? null : unquoted(text);
    if (value === null) labels['__name__'] = unquoted(key);
    else if (value !== '') labels[unquoted(key)] = value;
  }
}

function unquoted(text: string): string {
  if (text.startsWith("'")) return text.slice(1, -1);
  return text.startsWith('"') ? (JSON.parse(text) as string) : text;
}

function valuesOf(part: string): readonly Noted[] {
  if (part === 'stale') return ['stale'];
  const none = /^_(?:x(\d+))?$/.exec(part);
  if (none !== null) return new Array<Noted>(Number(none[1] ?? 1)).fill(null);
  const run = /^(.+?)(?:([+-])([\d.]+(?:e[+-]?\d+)?))?x(\d+)$/.exec(part);
  if (run === null) return [numberOf(part)];
  const [, first = '', sign, delta = '0', times] = run;
  const from = numberOf(first);
  const by = sign === '-' ? -Number(delta) : Number(delta);
  const values: number[] = [from];
  for (let i = 0; i < Number(times); i += 1) values.push((values.at(-1) ?? NaN) + by);
  return sign === undefined ? values.fill(from) : values;
}

export function numberOf(text: string): number {
  const plain = text.replace(/^([+-]?)inf(?:inity)?$/i, '$1Infinity');
  return /^nan$/i.test(plain) ? NaN : Number(plain);
}
