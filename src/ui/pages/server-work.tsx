/** The cards about writes, queries and memory. */

import { moments, routeTimes, type ServerView } from '../data/figures.js';
import { figureOf, risen } from '../exposition.js';
import { signsOf } from '../server-signs.js';
import { printCount, printValue } from '../units.js';
import { Card, Facts } from '../widgets/card.js';
import { Sparkline } from '../widgets/sparkline.js';
import { secondsText } from './server-cards.js';

interface WorkCardOptions {
  readonly view: ServerView;
}

const count = (value = 0): string => printCount(value);
const bytes = (value = 0): string => printValue(value, 'bytes');

const rateText = (total: number, seconds: number): string =>
  `${printValue(seconds <= 0 ? 0 : Math.round((total / seconds) * 10) / 10, '')} /s`;

export function WritesCard({ view: { status, between, seconds } }: WorkCardOptions) {
  const { runtime, storage } = status;
  return (
    <Card title="Writes" signs={signsOf('writes', between)}>
      <Sparkline
        name="Samples per second, since this tab opened"
        values={moments.value.map(({ samplesPerSecond }) => samplesPerSecond)}
      />
      <Facts
        facts={[
          ['Samples', rateText(risen(between, 'seriesdb_ingest_total'), seconds)],
          ['Since start', count(runtime['ingest_total'])],
          ['Lines refused', count(runtime['ingest_rejected_total'])],
          ['Waiting requests', count(runtime['queue_depth'])],
          ['Accepting writes', storage['writes_blocked'] === 0 ? 'yes' : 'no'],
        ]}
      />
    </Card>
  );
}

const fallbacks = [
  ['seriesdb_query_compile_unsupported_total', 'unsupported construct'],
  ['seriesdb_query_compile_ambiguous_selector_total', 'ambiguous selector'],
] as const;

export function QueriesCard({ view }: WorkCardOptions) {
  const { between, seconds } = view;
  const asked = figureOf(between.now, 'seriesdb_query_compile_attempts_total');
  const fallen = figureOf(between.now, 'seriesdb_query_compile_fallback_total');
  const share = asked === 0 ? 0 : Math.round((fallen / asked) * 1000) / 10;
  const reasons = fallbacks.filter(([name]) => figureOf(between.now, name) > 0);
  return (
    <Card title="Queries">
      <Sparkline
        name="Statements per second, since this tab opened"
        values={moments.value.map(({ queriesPerSecond }) => queriesPerSecond)}
      />
      <Facts
        facts={[
          [
            'Statements',
            rateText(risen(between, 'seriesdb_query_compile_attempts_total'), seconds),
          ],
          ['Interpreted', printValue(share, 'percent')],
          ...reasons.map(
            ([name, why]) => [`… ${why}`, count(figureOf(between.now, name))] as const,
          ),
        ]}
      />
      <Routes view={view} />
    </Card>
  );
}

const kRoutesMax = 5;

function Routes({ view }: WorkCardOptions) {
  const routes = routeTimes(view).slice(0, kRoutesMax);
  if (routes.length === 0) return <p class="quiet">No requests in this period.</p>;
  return (
    <table class="small-table">
      <caption class="unseen">Response times</caption>
      <thead>
        <tr>
          <th scope="col">Route</th>
          <th scope="col">p50</th>
          <th scope="col">p99</th>
        </tr>
      </thead>
      <tbody>
        {routes.map(({ route, p50, p99 }) => (
          <tr key={route}>
            <th scope="row">{route.replace('/api/v1/', '')}</th>
            <td>{secondsText(p50)}</td>
            <td>{secondsText(p99)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const partWords: Readonly<Record<string, string>> = {
  memory_memtable_bytes: 'Samples',
  memory_request_bytes: 'Requests',
  memory_index_bytes: 'Series index',
  memory_annotation_bytes: 'Notes',
  memory_tombstone_bytes: 'Deletions',
  memory_segment_bytes: 'Segment lists',
  memory_commit_bytes: 'History',
  memory_line_bytes: 'Frame cache',
  memory_past_bytes: 'Past states',
  memory_query_bytes: 'Queries',
};

export function MemoryCard({ view: { status, between } }: WorkCardOptions) {
  const { memory_limit_bytes: limit = 0, memory_used_bytes: used = 0, ...parts } = status.memory;
  const held = Object.entries(parts)
    .filter(([, value]) => value > 0)
    .sort(([, left], [, right]) => right - left);
  return (
    <Card title="Storage memory" signs={signsOf('memory', between)}>
      <meter
        aria-label="Memory in use"
        min={0}
        max={1}
        high={0.8}
        value={limit === 0 ? 0 : used / limit}
      />
      <Sparkline
        name="Memory in use, since this tab opened"
        values={moments.value.map(({ memoryBytes }) => memoryBytes)}
      />
      <Facts
        facts={[
          ['In use', `${bytes(used)} of ${bytes(limit)}`],
          ...held.map(([name, value]) => [partWords[name] ?? name, bytes(value)] as const),
        ]}
      />
    </Card>
  );
}
