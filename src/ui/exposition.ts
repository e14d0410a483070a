/** The figures of /metrics, and what they say between two looks at them. */

interface FigureRow {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** All rows of each name. */
export type Exposition = ReadonlyMap<string, readonly FigureRow[]>;

const line = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const pair = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;

/** A line that is none is left out. */
export function readExposition(text: string): Exposition {
  const rows = new Map<string, FigureRow[]>();
  for (const [, name = '', labelText = '', valueText = ''] of text
    .split('\n')
    .map((one) => line.exec(one) ?? [])) {
    const value = Number(valueText.replace('Inf', 'Infinity'));
    if (name === '' || Number.isNaN(value)) continue;
    const labels = [...labelText.matchAll(pair)].map(([, key = '', one = '']) => [key, one]);
    const row = { labels: Object.fromEntries(labels) as Record<string, string>, value };
    const known = rows.get(name);
    if (known === undefined) rows.set(name, [row]);
    else known.push(row);
  }
  return rows;
}

/** Of all its rows together; 0 where there is none. */
export function figureOf(figures: Exposition, name: string): number {
  return (figures.get(name) ?? []).reduce((sum, { value }) => sum + value, 0);
}

/** Two looks at the figures; the first is empty where there was no look before. */
export interface Between {
  readonly before: Exposition;
  readonly now: Exposition;
}

/** How much a counter rose; after a new start of the server, from nothing. */
export function risen({ before, now }: Between, name: string): number {
  const rise = figureOf(now, name) - figureOf(before, name);
  return rise < 0 ? figureOf(now, name) : rise;
}

interface HistogramQuestion {
  /** Without `_bucket`. */
  readonly name: string;
  /** Rows with these labels count. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly quantile: number;
}

/** In the unit of the histogram; null: nothing was measured between the looks. */
export function quantileBetween(between: Between, question: HistogramQuestion): number | null {
  const before = buckets(between.before, question);
  const risenBy = [...buckets(between.now, question)]
    .map(([bound, count]) => [bound, count - (before.get(bound) ?? 0)] as const)
    .sort(([left], [right]) => left - right);
  const all = risenBy.at(-1)?.[1] ?? 0;
  if (all <= 0) return null;
  const wanted = all * question.quantile;
  const at = risenBy.findIndex(([, count]) => count >= wanted);
  const [bound, count] = risenBy[at] ?? [0, 0];
  const [lower, below] = risenBy[at - 1] ?? [0, 0];
  // Beyond the last bound nothing is known but that it is beyond.
  if (bound === Infinity) return lower;
  return count === below ? bound : lower + ((bound - lower) * (wanted - below)) / (count - below);
}

/** Of each upper bound, all that is at most that. */
function buckets(
  figures: Exposition,
  { name, labels = {} }: HistogramQuestion,
): ReadonlyMap<number, number> {
  const sums = new Map<number, number>();
  const wanted = Object.entries(labels);
  for (const row of figures.get(`${name}_bucket`) ?? []) {
    if (!wanted.every(([key, value]) => row.labels[key] === value)) continue;
    const bound = Number((row.labels['le'] ?? '').replace('Inf', 'Infinity'));
    sums.set(bound, (sums.get(bound) ?? 0) + row.value);
  }
  return sums;
}
