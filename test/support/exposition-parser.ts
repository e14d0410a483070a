/**
 * A strict reader of the Prometheus text format, version 0.0.4. Throws at the first thing that the
 * format, or the naming rules that `promtool check metrics` applies, do not allow.
 */

type MetricLabels = ReadonlyMap<string, string>;

interface ParsedSample {
  /** The family's name and a histogram's suffix. */
  readonly name: string;
  readonly labels: MetricLabels;
  readonly value: number;
}

export interface ParsedFamily {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly samples: ParsedSample[];
}

const namePattern = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const samplePattern = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/;
const labelPattern = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\[\\"n])*)"(,|$)/y;

export function parseExposition(text: string): ReadonlyMap<string, ParsedFamily> {
  if (!text.endsWith('\n')) throw new Error('the last line has no newline');
  const families = new Map<string, ParsedFamily>();
  let help: readonly [string, string] | null = null;
  let current: ParsedFamily | null = null;
  for (const line of text.slice(0, -1).split('\n')) {
    const [word, name, ...rest] = line.startsWith('# ') ? line.slice(2).split(' ') : [];
    if (word === 'HELP' && name !== undefined) {
      help = [name, rest.join(' ')];
    } else if (word === 'TYPE' && name !== undefined) {
      current = beginFamily(name, rest.join(' '), help);
      if (families.has(name)) throw new Error(`${name} comes twice`);
      families.set(name, current);
      help = null;
    } else {
      if (current === null || help !== null) throw new Error(`no TYPE before: ${line}`);
      current.samples.push(parseSample(line, current));
    }
  }
  for (const family of families.values()) checkFamily(family);
  return families;
}

/** The one sample with exactly these labels; throws when there is none. */
export function sampleOf(
  families: ReadonlyMap<string, ParsedFamily>,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number {
  const family = families.get(name) ?? families.get(name.replace(/_(bucket|sum|count)$/, ''));
  const wanted = keyOf(new Map(Object.entries(labels)));
  const found = family?.samples.find((one) => one.name === name && keyOf(one.labels) === wanted);
  if (found === undefined) throw new Error(`no sample ${name}{${wanted}}`);
  return found.value;
}

function beginFamily(
  name: string,
  type: string,
  help: readonly [string, string] | null,
): ParsedFamily {
  if (!namePattern.test(name)) throw new Error(`not a name: ${name}`);
  if (help?.[0] !== name) throw new Error(`${name} has no HELP before its TYPE`);
  if (help[1].trim() === '') throw new Error(`${name} has an empty HELP`);
  if (type !== 'counter' && type !== 'gauge' && type !== 'histogram') {
    throw new Error(`${name} has the unknown type ${type}`);
  }
  if ((type === 'counter') !== name.endsWith('_total')) {
    throw new Error(`${name} is a ${type}; only counters end in _total, and all do`);
  }
  if (/_(bucket|sum|count|info_total)$/.test(name)) throw new Error(`${name}: a reserved ending`);
  if (/[A-Z]/.test(name)) throw new Error(`${name} is not in snake case`);
  return { name, type, help: help[1], samples: [] };
}

function parseSample(line: string, family: ParsedFamily): ParsedSample {
  const [, name, labelText, valueText] = samplePattern.exec(line) ?? [];
  if (name === undefined || valueText === undefined) throw new Error(`not a sample: ${line}`);
  const suffix = name.startsWith(family.name) ? name.slice(family.name.length) : 'another name';
  const allowed = family.type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
  if (!allowed.includes(suffix)) throw new Error(`${line} stands below ${family.name}`);
  return { name, labels: parseLabels(labelText), value: parseValue(valueText) };
}

function parseLabels(text: string | undefined): MetricLabels {
  const labels = new Map<string, string>();
  if (text === undefined) return labels;
  labelPattern.lastIndex = 0;
  while (labelPattern.lastIndex < text.length) {
    const at = labelPattern.lastIndex;
    const [, name, value, end] = labelPattern.exec(text) ?? [];
    if (name === undefined || value === undefined)
      throw new Error(`not a label: ${text.slice(at)}`);
    if (labels.has(name)) throw new Error(`the label ${name} occurs twice`);
    if (end === ',' && labelPattern.lastIndex === text.length) throw new Error('a comma too much');
    labels.set(
      name,
      value.replace(/\\(.)/g, (_, letter: string) => (letter === 'n' ? '\n' : letter)),
    );
  }
  return labels;
}

function parseValue(text: string): number {
  if (text === '+Inf') return Infinity;
  if (text === '-Inf') return -Infinity;
  if (!/^(NaN|-?\d+(\.\d+)?(e[+-]?\d+)?)$/.test(text)) throw new Error(`not a value: ${text}`);
  return Number(text);
}

function checkFamily(family: ParsedFamily): void {
  const { name, type, samples } = family;
  if (samples.length === 0) throw new Error(`${name} has no samples`);
  const seen = new Set<string>();
  for (const one of samples) {
    const key = `${one.name}{${keyOf(one.labels)}}`;
    if (seen.has(key)) throw new Error(`${key} comes twice`);
    seen.add(key);
    if (type !== 'gauge' && !(one.value >= 0)) throw new Error(`${key} is ${one.value}`);
  }
  if (type === 'histogram') checkHistogram(family);
}

/** Buckets ascend and end with +Inf, which equals the count. */
function checkHistogram({ name, samples }: ParsedFamily): void {
  const groups = new Map<string, ParsedSample[]>();
  for (const one of samples) {
    const key = keyOf(new Map([...one.labels].filter(([label]) => label !== 'le')));
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  for (const [key, group] of groups) {
    const buckets = group.filter((one) => one.name === `${name}_bucket`);
    const bounds = buckets.map((one) => parseValue(one.labels.get('le') ?? 'missing'));
    const isAscending = (list: readonly number[], isStrict: boolean): boolean =>
      list.every((one, at) => at === 0 || one - (list[at - 1] ?? 0) > (isStrict ? 0 : -1e-9));
    const counts = buckets.map((one) => one.value);
    if (!isAscending(bounds, true) || !isAscending(counts, false)) {
      throw new Error(`the buckets of ${name}{${key}} do not ascend`);
    }
    const only = (suffix: string): number | undefined => {
      const found = group.filter((one) => one.name === name + suffix);
      return found.length === 1 ? found[0]?.value : undefined;
    };
    if (bounds.at(-1) !== Infinity || counts.at(-1) !== only('_count')) {
      throw new Error(`${name}{${key}} has no bucket +Inf that equals its count`);
    }
    if (only('_sum') === undefined) throw new Error(`${name}{${key}} has no sum`);
  }
}

function keyOf(labels: MetricLabels): string {
  return [...labels]
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .sort()
    .join(',');
}
