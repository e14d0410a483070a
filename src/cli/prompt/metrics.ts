/** `\d`: lists metrics, or describes one. */

import { withUnit, type ClientContext } from '../session/client-context.js';
import { CommandFailure } from '../session/failure.js';
import { timeCell, writeList } from '../session/listing.js';
import { printFacts, type Cell } from '../session/table.js';

import type { MetricDescriptor } from '../../client/client.js';

const kMetricsShown = 200;
const kValuesShown = 5;
/** The most values of a label that are counted. */
const kValuesCounted = 1000;

export async function tellMetrics(plain: ClientContext): Promise<void> {
  const context = await withUnit(plain);
  const { client, signal, terminal } = context;
  const found = await client.findMetrics({ limit: kMetricsShown + 1 }, { signal });
  const columns = ['metric', 'kind', 'unit', 'series', 'labels', 'last'];
  writeList(
    { ...context, isJson: false },
    {
      found: found.slice(0, kMetricsShown),
      columns: columns.map((name) => ({ name, isNumber: name === 'series' })),
      row: (one) => [
        ...[one.metric, one.kind, one.unit, one.series_count, one.label_keys.join(', ')],
        timeCell(context, one.last_ts),
      ],
    },
  );
  if (found.length > kMetricsShown) terminal.note('and more: seriesdb find metrics\n');
}

export async function tellMetric(plain: ClientContext, name: string): Promise<void> {
  const context = await withUnit(plain);
  const { client, signal } = context;
  const isIt = (one: { readonly metric: string }): boolean => one.metric === name;
  const metric = (await client.findMetrics({ prefix: name }, { signal })).find(isIt);
  if (metric === undefined) {
    throw new CommandFailure(`there is no metric ${name}; \\d lists them`);
  }
  const health = (await client.metricsHealth({ prefix: name }, { signal })).find(isIt);
  const facts: (readonly [string, Cell])[] = [
    ['metric', metric.metric],
    ['kind', metric.kind],
    ['unit', metric.unit],
    ['description', metric.description],
    ['series', metric.series_count],
    ...(await labelFacts(context, metric)),
    ['first', timeCell(context, metric.first_ts)],
    ['last', timeCell(context, metric.last_ts)],
    ['health', health === undefined ? null : healthOf(health)],
  ];
  context.terminal.write(printFacts(facts));
}

async function labelFacts(
  { client, signal }: ClientContext,
  { metric, label_keys: keys }: MetricDescriptor,
): Promise<readonly (readonly [string, Cell])[]> {
  const facts: (readonly [string, Cell])[] = [];
  for (const key of keys) {
    const filter = { metric, key, limit: kValuesCounted };
    const values = await client.labelValues(filter, { signal });
    const isMore = values.length === kValuesCounted;
    const shown = values.slice(0, kValuesShown).join(', ');
    const rest = values.length > kValuesShown ? ', …' : '';
    const count = `${values.length}${isMore ? ' or more' : ''}`;
    facts.push([`label ${key}`, `${count}: ${shown}${rest}`]);
  }
  return facts;
}

interface Health {
  readonly inactive: boolean;
  readonly inactive_series_count: number;
  readonly missing_metadata: readonly string[];
}

function healthOf(health: Health): string {
  const missing = health.missing_metadata;
  return [
    health.inactive ? 'inactive' : 'active',
    ...(health.inactive_series_count > 0
      ? [`${health.inactive_series_count} series inactive`]
      : []),
    ...(missing.length > 0 ? [`without ${missing.join(', ')}`] : []),
  ].join('; ');
}
