/** The table of metrics: metadata and last sample. */

import { Fragment } from 'preact';

import { tsOfMs, perSecond, printTime } from '../zone.js';
import { printCount, printSeconds, unitSymbol } from '../units.js';
import { windowOf, type ClockNow, type TimeWindow } from '../time-window.js';
import { clock, windowText } from '../view.js';

import { choose, place } from '../location.js';
import {
  metricColumns,
  printOrder,
  turned,
  type MetricColumn,
  type MetricOrder,
} from '../data/metric-order.js';
import { changed, placeOfPage, printPlace } from '../url.js';
import { Breakable } from '../widgets/breakable.js';
import { LongTable } from '../widgets/long-table.js';
import { sparkSeriesMax } from '../data/sparks.js';
import { MetricSpark, useSparks } from './metric-sparks.js';

import type { TargetedKeyboardEvent } from 'preact';
import type { MetricDescriptor } from '../../client/client.js';
import type { Spark } from '../data/sparks.js';

interface MetricTableOptions {
  readonly metrics: readonly MetricDescriptor[];
  readonly order: MetricOrder;
  /** True if sorted by `order`; false: by relevance to the search. */
  readonly isSorted: boolean;
  /** Loads further metrics; undefined: there are none. */
  readonly more?: () => void;
}

const noSpark = `Drawn only of metrics with at most ${sparkSeriesMax} series`;

export function MetricTable({ metrics, order, isSorted, more }: MetricTableOptions) {
  const nowMs = Date.now();
  const { unit } = clock.value;
  const text = windowText.value;
  const looked = text === null ? null : windowOf(text, { ...clock.value, nowMs });
  const sparkWindow = looked ?? lastDay({ ...clock.value, nowMs });
  const sparks = useSparks(sparkWindow, `${unit} ${text ?? ''}`);
  const outside = (one: MetricDescriptor) => (looked === null ? null : placeBeside(one, looked));
  return (
    <div class="metrics" onKeyDown={leave}>
      <LongTable
        {...{ name: 'Metrics', rows: metrics, ...(more === undefined ? {} : { more }) }}
        head={<Heads order={order} isSorted={isSorted} spark={sparkWords(text)} />}
        seen={sparks.seen}
        keyOf={({ metric }) => metric}
        classOf={(one) => (outside(one) === null ? 'opens' : 'opens outside')}
        open={({ metric }) => {
          location.hash = lookAt(metric);
        }}
      >
        {(one) => (
          <Cells
            {...{ metric: one, outside: outside(one), now: tsOfMs(nowMs, unit) }}
            spark={sparks.of(one.metric)}
          />
        )}
      </LongTable>
    </div>
  );
}

const columns: Readonly<Record<MetricColumn, readonly [words: string, look: string]>> = {
  metric: ['Metric', ''],
  kind: ['Kind', 'wide'],
  unit: ['Unit', 'wide'],
  series: ['Series', 'wide number'],
  seen: ['Last seen', 'number'],
};

interface MetricHeadOptions extends Pick<MetricTableOptions, 'order' | 'isSorted'> {
  readonly spark: string;
}

function Heads({ order, isSorted, spark }: MetricHeadOptions) {
  return (
    <>
      {metricColumns.map((column) => {
        const [words, look] = columns[column];
        const isThis = isSorted && order.column === column;
        return (
          <Fragment key={column}>
            {column === 'seen' ? (
              <th scope="col" class="wide">
                {spark}
              </th>
            ) : null}
            <th
              scope="col"
              class={look === '' ? undefined : look}
              aria-sort={isThis ? (order.isDown ? 'descending' : 'ascending') : undefined}
            >
              <button
                type="button"
                class="sort"
                onClick={() => {
                  choose({ sort: printOrder(turned(order, column)) });
                }}
              >
                {words}
                {isThis ? <span aria-hidden="true">{order.isDown ? ' ▼' : ' ▲'}</span> : null}
              </button>
            </th>
          </Fragment>
        );
      })}
    </>
  );
}

const lastDay = (now: ClockNow): TimeWindow =>
  windowOf('24h', now) ?? { start: 0n, end: 0n, endsNow: true };

const sparkWords = (text: string | null): string => (text === null ? 'Last 24 hours' : 'This time');

/** The address of a metric's page. */
const lookAt = (metric: string): string =>
  printPlace(changed(placeOfPage('look', place.value), { m: metric }));

/** The `aria-rowindex` of the first row; the head is row 1. */
const kFirstRow = '2';

/** Up from the first row moves the focus to the search. */
function leave(event: TargetedKeyboardEvent<HTMLElement>): void {
  const { target, key } = event;
  if (key !== 'ArrowUp' || !(target instanceof Element)) return;
  if (target.closest('tr')?.getAttribute('aria-rowindex') !== kFirstRow) return;
  event.preventDefault();
  document.querySelector<HTMLElement>('main input[type=search]')?.focus();
}

interface MetricCellOptions {
  readonly metric: MetricDescriptor;
  readonly spark: Spark | undefined;
  /** The position of its samples if none is in the window; null otherwise. */
  readonly outside: string | null;
  readonly now: bigint;
}

function Cells({ metric, outside, now, spark }: MetricCellOptions) {
  const { kind, unit = '', description = '', last_ts: last } = metric;
  const symbol = unitSymbol(unit);
  const series = printCount(metric.series_count);
  const facts = [kind, symbol, `${series} series`].filter(Boolean).join(' · ');
  return (
    <>
      <th scope="row">
        <a class="name" data-step href={lookAt(metric.metric)}>
          <Breakable text={metric.metric} />
        </a>
        {description === '' ? null : <span class="quiet about">{description}</span>}
        <span class="quiet narrow">{facts}</span>
      </th>
      <td class="wide">
        <span class={`badge ${kind}`}>{kind}</span>
      </td>
      <td class="wide" title={unit}>
        {symbol === '' ? <span class="quiet">–</span> : symbol}
      </td>
      <td class="wide number">{series}</td>
      <td class="wide">
        {metric.series_count > sparkSeriesMax ? (
          <span class="quiet" title={noSpark}>
            –
          </span>
        ) : (
          <MetricSpark spark={spark} unit={kind === 'counter' ? '' : unit} />
        )}
      </td>
      <td class="number">
        <LastSeen last={last} now={now} />
        {outside === null ? null : <span class="quiet about">{outside}</span>}
      </td>
    </>
  );
}

/** A date is clearer than a number of days beyond this age. */
const kDatedSeconds = 90 * 86_400;

/** The age of the last sample; the tooltip has the exact time. */
export function LastSeen({ last, now }: { readonly last: bigint | null; readonly now: bigint }) {
  if (last === null) return <span class="quiet">never</span>;
  const seconds = Number(now - last) / Number(perSecond(clock.value.unit));
  const exact = printTime(last, clock.value);
  const age = printSeconds(Math.round(Math.abs(seconds)));
  const [day = ''] = exact.split(' ');
  const words = Math.abs(seconds) < 1 ? 'now' : seconds < 0 ? `in ${age}` : `${age} ago`;
  return <time title={exact}>{Math.abs(seconds) > kDatedSeconds ? day : words}</time>;
}

/** The position of all samples if none can be in the window; null: some may be. */
function placeBeside(
  { first_ts: first, last_ts: last }: MetricDescriptor,
  { start, end }: TimeWindow,
): string | null {
  if (last === null || first === null) return 'no samples';
  if (last < start) return 'before this time';
  return first > end ? 'after this time' : null;
}
