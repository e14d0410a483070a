/** Samples in memory with the plainest reads: the reference for the addon's steps. */
import { naive, type Sample, type Window } from './naive-windows.js';

import { compileWholePattern } from '../../src/query/values/pattern.js';
import { compareText } from '../../src/query/values/value.js';
import { LabelColumn } from '../../src/query/promql/labels/column.js';
import { LabelTable } from '../../src/query/promql/labels/label-table.js';

import type { SeriesMatcher } from '../../src/common/model/series-matcher.js';
import type { StepSource } from '../../src/query/promql/vectors/context.js';
import type { SeriesFilter, StepQuery, StepTable } from '../../src/storage/storage.js';

export interface NaiveSeries {
  readonly labels: Readonly<Record<string, string>>;
  /** Ascending; 'stale' is a marker. */
  readonly samples: readonly (readonly [ts: number, value: number | 'stale'])[];
}

type Row = readonly (readonly [ts: number, value: number | 'stale'])[];

export class NaiveSource implements StepSource {
  readonly folds = false;
  readonly #series: NaiveSeries[] = [];
  readonly #matchers = new WeakMap<object, readonly SeriesMatcher[]>();

  add(series: NaiveSeries): void {
    this.#series.push(series);
  }

  isCounter(): Promise<boolean> {
    return Promise.resolve(false);
  }

  /** Returns a placeholder filter, which `read` maps back to these matchers. */
  select(matchers: readonly SeriesMatcher[]): Promise<SeriesFilter> {
    const filter = { namePrefix: null, names: null, terms: [], isAny: false };
    this.#matchers.set(filter, matchers);
    return Promise.resolve(filter);
  }

  read(query: StepQuery): Promise<StepTable> {
    if (query.fold !== null) throw new Error('rows are folded elsewhere');
    const { of } = query;
    if ('rowCount' in of) {
      const rows = Array.from({ length: of.rowCount }, (_, row) => rowOf(of, row));
      return Promise.resolve(tableOf(query, rows, null));
    }
    const matchers = this.#matchers.get(of) ?? [];
    const found = this.#series.filter(({ labels }) => isMeant(labels, matchers));
    const read = found.map(({ samples }) => samples);
    return Promise.resolve(
      query.fn === 'samples' ? samplesOf(query, found) : tableOf(query, read, found),
    );
  }
}

export function isMeant(
  labels: Readonly<Record<string, string>>,
  matchers: readonly SeriesMatcher[],
): boolean {
  return matchers.every((matcher) => matches(matcher, labels[matcher.key] ?? ''));
}

/** Patterns in RE2 syntax, whose flags JavaScript lacks. */
function matches({ op, value }: SeriesMatcher, text: string): boolean {
  const isLike = op.endsWith('~') ? compileWholePattern(value).matches(text) : text === value;
  return isLike !== op.startsWith('!');
}

function rowOf(of: Extract<StepQuery['of'], { rowCount: number }>, row: number): Row {
  const samples: Sample[] = [];
  for (let step = 0; step < of.count; step += 1) {
    const cell = row * of.count + step;
    if (of.present !== null && of.present[cell] !== 1) continue;
    samples.push([of.start + step * of.step, of.values[cell] ?? NaN]);
  }
  return samples;
}

function tableOf(
  query: StepQuery,
  rows: readonly Row[],
  series: readonly NaiveSeries[] | null,
): StepTable {
  const made = rows.map((row) =>
    Array.from({ length: query.count }, (_, step) => valueAt(query, row, step)),
  );
  const kept = made
    .map((row, place) => ({ row, labels: series?.[place]?.labels ?? {} }))
    .filter(({ row }) => series === null || row.some((value) => value !== null));
  const cells = kept.flatMap(({ row }) => row);
  const labels = labelsOf(kept.map((one) => one.labels));
  return {
    rowCount: kept.length,
    // This source has no limits.
    rowsScanned: 0,
    labels: series === null ? null : labels,
    values: Float64Array.from(cells, (value) => value ?? 0),
    present: Uint8Array.from(cells, (value) => (value === null ? 0 : 1)),
    ends: null,
    times: null,
  };
}

function samplesOf(query: StepQuery, found: readonly NaiveSeries[]): StepTable {
  const windows = found.map(({ labels, samples }) => ({
    labels,
    samples: windowAt(query, samples, 0).samples,
  }));
  const kept = windows.filter(({ samples }) => samples.length > 0);
  const all = kept.flatMap(({ samples }) => samples);
  let end = 0;
  return {
    rowCount: kept.length,
    rowsScanned: all.length,
    labels: labelsOf(kept.map((one) => one.labels)),
    values: Float64Array.from(all, ([, value]) => value),
    present: null,
    times: Float64Array.from(all, ([ts]) => ts),
    ends: Uint32Array.from(kept, ({ samples }) => (end += samples.length)),
  };
}

function labelsOf(rows: readonly NaiveSeries['labels'][]): NonNullable<StepTable['labels']> {
  const columns = new Map<string, LabelColumn>();
  for (const key of new Set(rows.flatMap((labels) => Object.keys(labels)))) {
    const all = new Set(rows.map((labels) => labels[key] ?? ''));
    const texts = [...all].filter((text) => text !== '').sort(compareText);
    const codes = Uint32Array.from(rows, (labels) => texts.indexOf(labels[key] ?? '') + 1);
    columns.set(key, new LabelColumn(texts, codes));
  }
  return new LabelTable(rows.length, columns).stored();
}

function inWindow({ start, step, offset, window }: StepQuery, at: number): [number, number] {
  const to = start + at * step - offset;
  return [to - window, to];
}

function windowAt(query: StepQuery, row: Row, at: number): Window {
  const [from, to] = inWindow(query, at);
  const samples = row.filter((sample): sample is Sample => {
    const [ts, value] = sample;
    return ts > from && ts <= to && value !== 'stale';
  });
  const args = query.args.map((arg) => arg[arg.length === 1 ? 0 : at] ?? NaN);
  return { samples, from, to, now: query.start + at * query.step, args };
}

function valueAt(query: StepQuery, row: Row, at: number): number | null {
  const { fn } = query;
  if (fn === 'samples') throw new Error('samples are no steps');
  if (fn === 'last' || fn === 'last_time') {
    const [from, to] = inWindow(query, at);
    const last = row.filter(([ts]) => ts > from && ts <= to).at(-1);
    if (last === undefined || last[1] === 'stale') return null;
    return fn === 'last' ? last[1] : last[0] / 1000;
  }
  const window = windowAt(query, row, at);
  return window.samples.length === 0 ? null : naive[fn](window);
}
