/** Parses /metrics, and computes changes between two scrapes. */

interface FigureRow {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The rows of each name. */
export type Exposition = ReadonlyMap<string, readonly FigureRow[]>;

const line = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const pair = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;

/** Skips malformed lines. */
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

/** The sum of all rows of the name; 0 if there is none. */
export function figureOf(figures: Exposition, name: string): number {
  return (figures.get(name) ?? []).reduce((sum, { value }) => sum + value, 0);
}

/** Two scrapes; the first is empty if there was none. */
export interface Between {
  readonly before: Exposition;
  readonly now: Exposition;
}

/** The increase of a counter; after a restart of the server, its value. */
export function risen({ before, now }: Between, name: string): number {
  const rise = figureOf(now, name) - figureOf(before, name);
  return rise < 0 ? figureOf(now, name) : rise;
}

interface HistogramQuestion {
  /** Without `_bucket`. */
  readonly name: string;
  /** Only rows with these labels count. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly quantile: number;
}

/** In the unit of the histogram; null: no observations between the scrapes. */
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
  // The last bucket has no upper bound, so its lower bound is returned.
  if (bound === Infinity) return lower;
  return count === below ? bound : lower + ((bound - lower) * (wanted - below)) / (count - below);
}

/** The cumulative count of each upper bound. */
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
