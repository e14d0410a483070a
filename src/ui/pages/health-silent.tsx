/** Metrics with series that have no recent samples, and those series. */

import { useAnswer } from '../data/answer.js';
import { ask } from '../data/server.js';
import { findSilent, findSilentSeries, type HeldList } from '../data/health.js';
import { lookAddress } from '../links.js';
import { choose, place } from '../location.js';
import { filterOf } from '../statements.js';
import { windowOf } from '../time-window.js';
import { printCount } from '../units.js';
import { valueIn } from '../url.js';
import { clock } from '../view.js';
import { AnswerView } from '../widgets/answer-view.js';
import { LongTable } from '../widgets/long-table.js';
import { SaveButton } from '../widgets/save-button.js';
import { printIso, tsOfMs } from '../zone.js';
import {
  FilteredList,
  ListCount,
  LookCell,
  NameCell,
  openMetric,
  useMetricList,
  type MetricList,
} from './health-list.js';
import { LastSeen } from './metric-table.js';

import type { MetricHealth, SeriesDescriptor } from '../../client/client.js';

const spans: Readonly<Record<string, string>> = {
  '5m': '5 minutes',
  '15m': '15 minutes',
  '1h': '1 hour',
  '6h': '6 hours',
  '1d': '1 day',
  '7d': '7 days',
  '30d': '30 days',
};
const kSpan = '1h';

const chosenSpan = (): string => valueIn(place.value, 'for') ?? kSpan;
const wordOf = (span: string): string => spans[span] ?? span;

/** A series is silent if its last sample is before this time. */
function silentBefore(span: string): bigint {
  const { unit } = clock.value;
  const nowMs = Date.now();
  return windowOf(span, { ...clock.value, nowMs })?.start ?? tsOfMs(nowMs, unit);
}

export function SilentTab() {
  const span = chosenSpan();
  const answer = useMetricList({
    find: (prefix, signal) => findSilent({ prefix, before: silentBefore(span) }, signal),
    key: `${span} ${clock.value.unit}`,
  });
  const choice = (
    <label>
      silent for <SpanChoice span={span} />
    </label>
  );
  return (
    <FilteredList
      {...{ answer, choice }}
      save={(list) => <SaveSilent list={list} />}
      none={<NoneSilent span={span} />}
    >
      {(list) => <SilentMetrics list={list} span={span} />}
    </FilteredList>
  );
}

function SpanChoice({ span }: { readonly span: string }) {
  const all = span in spans ? Object.keys(spans) : [...Object.keys(spans), span];
  return (
    <select
      value={span}
      onChange={(event) => {
        choose({ for: event.currentTarget.value });
      }}
    >
      {all.map((one) => (
        <option key={one} value={one}>
          {wordOf(one)}
        </option>
      ))}
    </select>
  );
}

function NoneSilent({ span }: { readonly span: string }) {
  const answer = useAnswer({
    question: (signal) => ask((client) => client.findMetrics({ limit: 1 }, { signal })),
    key: '',
    againAfterMs: () => null,
  });
  return (
    <AnswerView answer={answer}>
      {({ length }) =>
        length === 0 ? <p class="nothing">There are no series yet.</p> : <AllWell span={span} />
      }
    </AnswerView>
  );
}

function AllWell({ span }: { readonly span: string }) {
  return (
    <p class="nothing good-news">
      <span class="badge good">● all well</span> Every series had a sample in the last{' '}
      {wordOf(span).replace(/^1 /, '')}.
    </p>
  );
}

function SaveSilent({ list }: { readonly list: MetricList }) {
  const { unit } = clock.value;
  return (
    <SaveButton
      name="silent-metrics"
      head={['metric', 'silent_series', 'series', 'last_seen']}
      rows={() =>
        list.rows.map((row) => [
          ...[row.metric, row.inactive_series_count, row.series_count],
          row.last_ts === null ? null : printIso(row.last_ts, unit),
        ])
      }
    />
  );
}

type SilentRow =
  | { readonly kind: 'metric'; readonly metric: MetricHealth }
  | { readonly kind: 'series'; readonly series: SeriesDescriptor }
  | { readonly kind: 'word'; readonly word: string };

interface SilentListOptions {
  readonly list: MetricList;
  readonly span: string;
}

function SilentMetrics({ list, span }: SilentListOptions) {
  const open = openMetric();
  const answer = useAnswer<HeldList<SeriesDescriptor>>({
    question: async (signal) =>
      open === null
        ? { rows: [], isCut: false }
        : findSilentSeries(open, silentBefore(span), signal),
    key: `${span} ${open ?? ''}`,
    againAfterMs: () => null,
  });
  const below = answer.isLoading ? null : answer.value;
  const rows = list.rows.flatMap((metric): readonly SilentRow[] => [
    { kind: 'metric', metric },
    ...(metric.metric === open ? rowsBelow(below) : []),
  ]);
  return (
    <>
      <ListCount list={list} what="with a silent series" />
      <LongTable name="Silent metrics" head={head} rows={rows} keyOf={keyOf} classOf={classOf}>
        {(row) => <Cells row={row} />}
      </LongTable>
    </>
  );
}

function rowsBelow(found: HeldList<SeriesDescriptor> | null): readonly SilentRow[] {
  if (found === null) return [{ kind: 'word', word: 'Looking for its silent series …' }];
  const rows = found.rows.map((series): SilentRow => ({ kind: 'series', series }));
  if (!found.isCut) return rows;
  return [...rows, { kind: 'word', word: 'It has more series than were looked at.' }];
}

const head = (
  <>
    <th scope="col">Metric</th>
    <th scope="col" class="number">
      Silent / all
    </th>
    <th scope="col" class="wide number">
      Last seen
    </th>
    <th scope="col" class="wide">
      <span class="unseen">Links</span>
    </th>
  </>
);

function keyOf(row: SilentRow): string {
  if (row.kind === 'metric') return `m ${row.metric.metric}`;
  return row.kind === 'series' ? `s ${row.series.series_id}` : 'word';
}

const classOf = (row: SilentRow): string => (row.kind === 'metric' ? '' : 'below');

const now = (): bigint => tsOfMs(Date.now(), clock.value.unit);

function Cells({ row }: { readonly row: SilentRow }) {
  if (row.kind === 'word') {
    return (
      <td colSpan={4} class="quiet">
        {row.word}
      </td>
    );
  }
  return row.kind === 'metric' ? (
    <MetricCells metric={row.metric} />
  ) : (
    <SeriesCells series={row.series} />
  );
}

function MetricCells({ metric }: { readonly metric: MetricHealth }) {
  const { inactive_series_count: silent, series_count: all, last_ts: last } = metric;
  return (
    <>
      <NameCell metric={metric.metric}>
        <span class="quiet narrow">
          <LastSeen last={last} now={now()} />
        </span>
      </NameCell>
      <td class="number">
        {printCount(silent)} / {printCount(all)}
      </td>
      <td class="wide number">
        <LastSeen last={last} now={now()} />
      </td>
      <LookCell metric={metric.metric} />
    </>
  );
}

function SeriesCells({ series }: { readonly series: SeriesDescriptor }) {
  return (
    <>
      <th scope="row">
        <a class="name" data-step href={lookAddress(series.metric, series.labels)}>
          {filterOf(series.labels)}
        </a>
      </th>
      <td class="number">
        <span class="narrow">
          <LastSeen last={series.last_ts} now={now()} />
        </span>
      </td>
      <td class="wide number">
        <LastSeen last={series.last_ts} now={now()} />
      </td>
      <td class="wide" />
    </>
  );
}
