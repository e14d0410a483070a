/** Metrics with the most series, and the labels and values that cause them. */

import { useAnswer } from '../data/answer.js';
import { findCostly, findLabelCosts, type HeldList, type LabelCost } from '../data/health.js';
import { status } from '../data/server.js';
import { lookAddress } from '../links.js';
import { choose, place } from '../location.js';
import { printCount, printValue } from '../units.js';
import { valueIn } from '../url.js';
import { LongTable } from '../widgets/long-table.js';
import { SaveButton } from '../widgets/save-button.js';
import {
  FilteredList,
  ListCount,
  LookCell,
  NameCell,
  openMetric,
  useMetricList,
  type MetricList,
} from './health-list.js';

import type { LabelValueCount, MetricHealth } from '../../client/client.js';

export function CostTab() {
  const answer = useMetricList({ find: findCostly, key: 'cost' });
  return (
    <FilteredList
      answer={answer}
      save={(list) => <SaveCost list={list} />}
      none={<p class="nothing">There are no metrics yet.</p>}
    >
      {(list) => <CostlyMetrics list={list} />}
    </FilteredList>
  );
}

function SaveCost({ list }: { readonly list: MetricList }) {
  return (
    <SaveButton
      name="series-of-metrics"
      head={['metric', 'series', 'labels']}
      rows={() => list.rows.map((row) => [row.metric, row.series_count, row.label_keys.join(' ')])}
    />
  );
}

interface ValueRow extends LabelValueCount {
  readonly kind: 'value';
  readonly metric: string;
  readonly key: string;
  /** The number of series of its metric. */
  readonly all: number;
}

type CostRow =
  /** `share` is null until the status of the server is known. */
  | { readonly kind: 'metric'; readonly metric: MetricHealth; readonly share: number | null }
  | { readonly kind: 'label'; readonly label: LabelCost }
  | ValueRow
  | { readonly kind: 'word'; readonly word: string };

function CostlyMetrics({ list }: { readonly list: MetricList }) {
  const open = list.rows.find(({ metric }) => metric === openMetric());
  const answer = useAnswer<readonly LabelCost[]>({
    question: async (signal) => (open === undefined ? [] : findLabelCosts(open, signal)),
    key: open?.metric ?? '',
    againAfterMs: () => null,
  });
  const labels = answer.isLoading ? null : answer.value;
  const all = status.value?.storage['series'] ?? null;
  const rows = list.rows.flatMap((metric): readonly CostRow[] => [
    { kind: 'metric', metric, share: all === null ? null : metric.series_count / Math.max(all, 1) },
    ...(metric === open ? rowsBelow(metric, labels) : []),
  ]);
  return (
    <>
      <ListCount
        list={list}
        what={all === null ? 'in all' : `with ${printCount(all)} series in all`}
      />
      <LongTable name="Series of metrics" head={head} rows={rows} keyOf={keyOf} classOf={classOf}>
        {(row) => <Cells row={row} />}
      </LongTable>
    </>
  );
}

function rowsBelow(
  { metric, series_count: all }: MetricHealth,
  labels: readonly LabelCost[] | null,
): readonly CostRow[] {
  if (labels === null) return [{ kind: 'word', word: 'Counting the values of its labels …' }];
  if (labels.length === 0) return [{ kind: 'word', word: 'It has no labels.' }];
  return labels.flatMap((label): readonly CostRow[] => [
    { kind: 'label', label },
    ...(label.key === valueIn(place.value, 'k') ? valueRows(label, { metric, all }) : []),
  ]);
}

function valueRows(
  { key, values }: LabelCost,
  { metric, all }: { readonly metric: string; readonly all: number },
): readonly CostRow[] {
  const rows = values.rows.map((one): CostRow => ({ kind: 'value', metric, key, all, ...one }));
  if (!values.isCut) return rows;
  const word = `These have the most series; there are more than ${printCount(rows.length)} values.`;
  return [...rows, { kind: 'word', word }];
}

const head = (
  <>
    <th scope="col">Metric, label, value</th>
    <th scope="col" class="number">
      Series
    </th>
    <th scope="col" class="wide">
      Share
    </th>
    <th scope="col" class="wide">
      <span class="unseen">Links</span>
    </th>
  </>
);

function keyOf(row: CostRow): string {
  if (row.kind === 'metric') return `m ${row.metric.metric}`;
  if (row.kind === 'label') return `l ${row.label.key}`;
  return row.kind === 'value' ? `v ${row.key} ${row.value}` : `w ${row.word}`;
}

const classes = { metric: '', label: 'below', value: 'below deeper', word: 'below' } as const;
const classOf = (row: CostRow): string => classes[row.kind];

function Cells({ row }: { readonly row: CostRow }) {
  if (row.kind === 'metric') return <MetricCells metric={row.metric} share={row.share} />;
  if (row.kind === 'label') return <LabelCells label={row.label} />;
  if (row.kind === 'value') return <ValueCells row={row} />;
  return (
    <td colSpan={4} class="quiet">
      {row.word}
    </td>
  );
}

function Share({ share }: { readonly share: number | null }) {
  if (share === null) return <td class="wide share">…</td>;
  const rounded = Math.round(share * 1000) / 10;
  const text = rounded === 0 && share > 0 ? '< 0.1 %' : printValue(rounded, 'percent');
  return (
    <td class="wide share">
      <meter aria-label="Share of the series" min={0} max={1} value={share} />
      <span class="number">{text}</span>
    </td>
  );
}

interface MetricCostOptions {
  readonly metric: MetricHealth;
  readonly share: number | null;
}

function MetricCells({ metric, share }: MetricCostOptions) {
  return (
    <>
      <NameCell metric={metric.metric} />
      <td class="number">{printCount(metric.series_count)}</td>
      <Share share={share} />
      <LookCell metric={metric.metric} />
    </>
  );
}

const countText = ({ rows, isCut }: HeldList<LabelValueCount>): string =>
  `${printCount(rows.length)}${isCut ? '+' : ''} ${rows.length === 1 ? 'value' : 'values'}`;

function LabelCells({ label: { key, values } }: { readonly label: LabelCost }) {
  const isOpen = valueIn(place.value, 'k') === key;
  return (
    <>
      <th scope="row">
        <button
          type="button"
          class="opener"
          data-step
          aria-expanded={isOpen}
          aria-label={`Values of ${key}`}
          onClick={() => {
            choose({ k: isOpen ? null : key });
          }}
        />
        <span class="name">{key}</span>
      </th>
      <td class="number">{countText(values)}</td>
      <td class="wide" />
      <td class="wide number">
        <SaveButton
          name={`values-of-${key}`}
          head={[key, 'series']}
          rows={() => values.rows.map((one) => [one.value, one.series_count])}
        />
      </td>
    </>
  );
}

function ValueCells({ row }: { readonly row: ValueRow }) {
  const { metric, key, value, series_count: count, all } = row;
  return (
    <>
      <th scope="row">
        <a class="name" data-step href={lookAddress(metric, { [key]: value })}>
          {value === '' ? '(empty)' : value}
        </a>
      </th>
      <td class="number">{printCount(count)}</td>
      <Share share={all === 0 ? 0 : count / all} />
      <td class="wide" />
    </>
  );
}
