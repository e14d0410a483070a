/**
 * Explains why a PromQL expression has no series: a label matches nothing, samples are old, or a
 * range holds too few of them.
 */

import { fallbackOf } from '../../config/settings.js';
import { printDuration } from '../../common/model/duration.js';
import { printTime } from '../../common/model/iso-time.js';
import { nearWord } from '../../common/model/nearest.js';
import { fromMilliseconds, milliseconds } from '../../common/model/timestamp-unit.js';
import { visible } from '../../common/model/visible-text.js';

import { rowsOf } from './promql-rows.js';

import type { MetricDescriptor, PromqlTimes } from '../../client/client.js';
import type { TimedContext } from '../session/client-context.js';

/** The default, since no route reports the server's setting. */
const kLookbackMs = fallbackOf('promql_lookback_ms');
const kLookback = `PromQL looks back ${printDuration(kLookbackMs)} by default`;
/** The most series that are searched for the last sample. */
const kSeriesMax = 1000;
/** The most values of a label that are compared with a wrong one. */
const kValuesMax = 1000;
/** The most values or keys that a sentence lists. */
const kListedMax = 5;

/** One metric with any matchers. In a longer expression, the missing part is unknown. */
const oneMetric =
  /^\s*(?:([A-Za-z_:][\w:]*)\s*(?:\{([^{}]*)\})?|\{\s*"([^"\\]+)"\s*,?([^{}]*)\})\s*$/;
const equality = /\s*(?:([A-Za-z_]\w*)|"([^"\\]+)")\s*=\s*(?:"([^"\\]+)"|'([^'\\]+)')\s*(?:,|$)/y;

/** A function that needs two samples of a series within a range. */
const changes = '(rate|irate|increase|delta|idelta|deriv)';
const selected = String.raw`([A-Za-z_:][\w:]*(?:\{[^{}]*\})?)`;
/** Alone, or within an aggregation. */
const changeOf = new RegExp(
  String.raw`^[\w\s(,]*\b${changes}\s*\(\s*${selected}\s*\[(\w+)\]\s*\)[\s)]*$`,
);

type SeriesLabels = Readonly<Record<string, string>>;

export async function whyNoSeries(
  context: TimedContext,
  { text, times }: { readonly text: string; readonly times: PromqlTimes },
): Promise<string> {
  const { client, signal, unit } = context;
  const change = changeIn(text);
  if (change !== null) {
    const most = await mostSamples(context, change, times);
    if (most === 1) return `no series: ${fewSamples(change)}`;
    // Another part of the expression left nothing.
    if (most !== null) return 'no series';
  }
  const asked = change?.selector ?? text;
  const [, plain, matchers = '', quoted, others = ''] = oneMetric.exec(asked) ?? [];
  const name = plain ?? quoted;
  const labels = equalitiesIn(plain === undefined ? others : matchers);
  if (name === undefined || labels === null) return 'no series';
  const metrics = await client.findMetrics({ prefix: name, limit: 1 }, { signal });
  const metric = metrics.find((one) => one.metric === name);
  if (metric === undefined) return 'no series';
  const wrong = await wrongLabel(context, metric, labels);
  if (wrong !== null) return `no series: ${wrong}`;
  const last = await lastSample(context, metric, labels);
  const first = 'start' in times ? times.start : times.time;
  const startMs = first === undefined ? Date.now() : Math.floor(Number(first) * 1000);
  const fromMs = milliseconds(startMs - kLookbackMs);
  const isReached = last !== null && last >= fromMilliseconds(fromMs, unit);
  if (last === null || (change === null && isReached)) return 'no series';
  const when = printTime(last, unit) || String(last);
  const whose = Object.keys(labels).length === 0 ? name : 'the matching series';
  const reach = change === null ? kLookback : `${change.name} looks back ${change.range}`;
  return `no series: the last sample of ${whose} is at ${when}; ${reach}`;
}

interface Change {
  readonly name: string;
  readonly selector: string;
  readonly range: string;
}

/** The first function of changes over a range. */
function changeIn(text: string): Change | null {
  const [, name, selector, range] = changeOf.exec(text) ?? [];
  if (name === undefined || selector === undefined || range === undefined) return null;
  return { name, selector, range };
}

/** The most samples of a series in the range at any step; null if there are none. */
async function mostSamples(
  { client, signal }: TimedContext,
  { selector, range }: Change,
  times: PromqlTimes,
): Promise<number | null> {
  const text = `max(count_over_time(${selector}[${range}]))`;
  const counts = rowsOf(await client.promql(text, times, { signal }));
  return counts.length === 0 ? null : Math.max(...counts.map(({ value }) => Number(value)));
}

function fewSamples({ name, selector, range }: Change): string {
  const needs = `${name} needs two samples within ${range}`;
  return `${needs}; ${visible(selector)} has one: write a longer range`;
}

/** The labels of matchers with `=`. Null if there are others, or a value needs unescaping. */
function equalitiesIn(matchers: string): SeriesLabels | null {
  const labels = new Map<string, string>();
  equality.lastIndex = 0;
  while (equality.lastIndex < matchers.trimEnd().length) {
    const [, plain, quoted, double, single] = equality.exec(matchers) ?? [];
    const [key, value] = [plain ?? quoted, double ?? single];
    if (key === undefined || value === undefined || labels.has(key)) return null;
    labels.set(key, value);
  }
  return Object.fromEntries(labels);
}

/** A sentence about the first label that no series of the metric has; null if there is none. */
async function wrongLabel(
  { client, signal }: TimedContext,
  { metric, label_keys: keys }: MetricDescriptor,
  labels: SeriesLabels,
): Promise<string | null> {
  for (const [key, value] of Object.entries(labels)) {
    if (!keys.includes(key)) {
      const has = keys.length === 0 ? 'they have no labels' : `labels are ${listed(keys)}`;
      return `no series of ${metric} has a label ${visible(key)}; ${has}`;
    }
    const asked = { metric, labels: { [key]: value }, limit: 1 };
    if ((await client.findSeries(asked, { signal })).length > 0) continue;
    const values = await client.labelValues({ key, metric, limit: kValuesMax }, { signal });
    const near = nearWord(value, values);
    const meant = near === undefined ? '' : ` (did you mean ${JSON.stringify(near)}?)`;
    const told = `no series of ${metric} has ${visible(key)}=${visible(JSON.stringify(value))}`;
    return `${told}${meant}; ${key} is ${values.length === 1 ? '' : 'one of '}${listed(values)}`;
  }
  return null;
}

/** The last sample of the series with these labels; null if it is unknown. */
async function lastSample(
  { client, signal }: TimedContext,
  { metric, last_ts: last }: MetricDescriptor,
  labels: SeriesLabels,
): Promise<bigint | null> {
  if (Object.keys(labels).length === 0) return last;
  const found = await client.findSeries({ metric, labels, limit: kSeriesMax }, { signal });
  if (found.length === kSeriesMax) return null;
  const times = found.flatMap(({ last_ts: one }) => (one === null ? [] : [one]));
  return times.reduce<bigint | null>((max, one) => (max === null || one > max ? one : max), null);
}

function listed(texts: readonly string[]): string {
  const shown = texts.slice(0, kListedMax).map((one) => visible(one));
  return [...shown, ...(texts.length > kListedMax ? ['…'] : [])].join(', ');
}
