/** Answers as rows, independent of their format, and the comparison of a peer's rows with ours. */

export interface Row {
  /** The metric without its prefix, such as `usage_user`. */
  readonly metric?: string;
  readonly host?: string;
  /** Milliseconds; for a bucket its begin. */
  readonly t?: number;
  readonly value: number;
}

type Cell = string | number | null;

/** The difference of a peer's answer from ours; null if there is none. */
export function difference(own: readonly Row[], theirs: readonly Row[], isExact: boolean) {
  if (own.length === 0) return 'ours has no rows';
  const keys = (['metric', 'host', 't'] as const).filter((key) => own[0]?.[key] !== undefined);
  if (!isExact) return differenceInCount(own, theirs);
  const textOf = (row: Row): string =>
    [...keys.map((key) => String(row[key])), row.value.toPrecision(9)].join(' ');
  const [ours, others] = [own.map(textOf).sort(), theirs.map(textOf).sort()];
  const at = ours.findIndex((text, place) => text !== others[place]);
  if (at < 0 && ours.length === others.length) return null;
  return `${String(others.length)} rows beside ${String(ours.length)}, one is ${String(others[at])} and not ${String(ours[at])}`;
}

/**
 * Buckets with other boundaries have other values, and up to one bucket more or less per series. So
 * only the number of rows is compared.
 */
function differenceInCount(own: readonly Row[], theirs: readonly Row[]): string | null {
  const series = new Set(own.map(({ metric, host }) => `${String(metric)} ${String(host)}`)).size;
  if (Math.abs(own.length - theirs.length) <= series) return null;
  return `${String(theirs.length)} rows beside ${String(own.length)}`;
}

/** Rows of seriesdb: samples of a range, or rows of SeriesQL, whose columns have types. */
export function seriesdbRows(body: string): readonly Row[] {
  const read = JSON.parse(body) as
    { ts: number; value: number }[] | { columns: { name: string; type: string }[]; rows: Cell[][] };
  if (Array.isArray(read)) return read.map(({ ts, value }) => ({ t: ts, value }));
  const names = read.columns.map(({ name, type }) => {
    if (type === 'timestamp') return 't';
    return type === 'float' ? 'value' : name.replace('tag.', '');
  });
  return rowsOfColumns(names, read.rows);
}

/** Rows of SQL, whose columns have our names. */
export function sqlRows(body: string): readonly Row[] {
  const { meta, data } = JSON.parse(body) as { meta: { name: string }[]; data: Cell[][] };
  return rowsOfColumns(
    meta.map(({ name }) => name),
    data,
  );
}

function rowsOfColumns(names: readonly string[], rows: readonly Cell[][]): readonly Row[] {
  const places = Object.fromEntries(names.map((name, at) => [name, at]));
  const cell = (row: Cell[], name: string): Cell | undefined => row[places[name] ?? -1];
  return rows.map((row) => ({
    ...partOf('metric', cell(row, 'metric')),
    ...partOf('host', cell(row, 'host')),
    ...partOf('t', cell(row, 't')),
    value: Number(cell(row, 'value')),
  }));
}

function partOf(name: 'metric' | 'host' | 't', cell: Cell | undefined): Partial<Row> {
  if (cell === undefined) return {};
  if (name === 't') return { t: Number(cell) };
  return { [name]: name === 'metric' ? bareName(String(cell)) : String(cell) };
}

const bareName = (name: string): string => name.replace(/^cpu[._]/, '');

interface InfluxSeries {
  readonly tags?: { readonly host?: string };
  readonly columns: readonly string[];
  readonly values: readonly (readonly (number | null)[])[];
}

/** Rows of InfluxDB, with one column per field. */
export function influxRows(body: string): readonly Row[] {
  const { results } = JSON.parse(body) as { results: { series?: InfluxSeries[] }[] };
  return (results[0]?.series ?? []).flatMap(({ tags, columns, values }) =>
    values.flatMap(([t, ...cells]) =>
      cells.flatMap((value, at) =>
        value === null
          ? []
          : [{ ...partOf('metric', columns[at + 1]), ...tags, t: Number(t), value }],
      ),
    ),
  );
}

interface PromSeries {
  readonly metric: Readonly<Record<string, string>>;
  readonly value?: readonly [number, string];
  readonly values?: readonly (readonly [number, string])[];
}

/** Rows of a vector or matrix, or of an export with one line per series. */
export function promRows(body: string): readonly Row[] {
  if (!body.startsWith('{"status"')) return body.trim().split('\n').flatMap(exportedRows);
  const { data } = JSON.parse(body) as { data: { result: PromSeries[] } };
  return data.result.flatMap(({ metric, value, values }) =>
    (values ?? (value === undefined ? [] : [value])).map(([seconds, text]) => ({
      ...partOf('metric', metric['__name__'] ?? metric['metric']),
      ...partOf('host', metric['host']),
      ...{ t: seconds * 1000, value: Number(text) },
    })),
  );
}

function exportedRows(line: string): readonly Row[] {
  const { timestamps, values } = JSON.parse(line) as { timestamps: number[]; values: number[] };
  return values.map((value, at) => ({ t: timestamps[at] ?? NaN, value }));
}
