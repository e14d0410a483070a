/** Metrics as a table: what each is, and when it was last seen. */

import { tsOfMs, perSecond, printTime } from '../zone.js';
import { printCount, printSeconds, unitSymbol } from '../units.js';
import { windowOf, type TimeWindow } from '../time-window.js';
import { clock, windowText } from '../view.js';

import { place } from '../location.js';
import { changed, placeOfPage, printPlace } from '../url.js';

import type { TargetedKeyboardEvent } from 'preact';
import type { MetricDescriptor } from '../../client/client.js';

export function MetricTable({ metrics }: { readonly metrics: readonly MetricDescriptor[] }) {
  const nowMs = Date.now();
  const { unit } = clock.value;
  const text = windowText.value;
  const looked = text === null ? null : windowOf(text, { unit, nowMs });
  return (
    <table class="rows" onKeyDown={walk}>
      <caption class="unseen">Metrics</caption>
      <thead>
        <tr>
          <th scope="col">Metric</th>
          <th scope="col" class="wide">
            Kind
          </th>
          <th scope="col" class="wide">
            Unit
          </th>
          <th scope="col" class="wide number">
            Series
          </th>
          <th scope="col" class="number">
            Last seen
          </th>
        </tr>
      </thead>
      <tbody>
        {metrics.map((one) => (
          <MetricRow key={one.metric} metric={one} looked={looked} now={tsOfMs(nowMs, unit)} />
        ))}
      </tbody>
    </table>
  );
}

/** Where a metric is looked at. */
const lookAt = (metric: string): string =>
  printPlace(changed(placeOfPage('look', place.value), { m: metric }));

/** Arrows go from row to row; Enter follows the link that has the focus. */
function walk(event: TargetedKeyboardEvent<HTMLTableElement>): void {
  const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>('a.name')];
  const at = links.findIndex((link) => link === document.activeElement);
  if (by === 0 || at < 0) return;
  event.preventDefault();
  const next = links[at + by];
  if (next !== undefined) next.focus();
  else if (at + by < 0) document.querySelector<HTMLElement>('main input[type=search]')?.focus();
}

interface RowOptions {
  readonly metric: MetricDescriptor;
  readonly looked: TimeWindow | null;
  readonly now: bigint;
}

function MetricRow({ metric, looked, now }: RowOptions) {
  const { kind, unit = '', description = '', last_ts: last } = metric;
  const outside = looked === null ? null : placeBeside(metric, looked);
  const symbol = unitSymbol(unit);
  const series = printCount(metric.series_count);
  const facts = [kind, symbol, `${series} series`].filter(Boolean).join(' · ');
  return (
    <tr
      class={outside === null ? 'opens' : 'opens outside'}
      onClick={(event) => {
        if (event.target instanceof Element && event.target.closest('a') !== null) return;
        location.hash = lookAt(metric.metric);
      }}
    >
      <th scope="row">
        <a class="name" href={lookAt(metric.metric)}>
          {metric.metric}
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
      <td class="number">
        <LastSeen last={last} now={now} />
        {outside === null ? null : <span class="quiet about">{outside}</span>}
      </td>
    </tr>
  );
}

/** How long ago that was, with the time itself to point at. */
export function LastSeen({ last, now }: { readonly last: bigint | null; readonly now: bigint }) {
  if (last === null) return <span class="quiet">never</span>;
  const seconds = Number(now - last) / Number(perSecond(clock.value.unit));
  const age = printSeconds(Math.round(Math.abs(seconds)));
  return (
    <time title={printTime(last, clock.value)}>
      {Math.abs(seconds) < 1 ? 'now' : seconds < 0 ? `in ${age}` : `${age} ago`}
    </time>
  );
}

/** Where all of its samples lie when none can be in the window; null: some may. */
function placeBeside(
  { first_ts: first, last_ts: last }: MetricDescriptor,
  { start, end }: TimeWindow,
): string | null {
  if (last === null || first === null) return 'no samples';
  if (last < start) return 'before this time';
  return first > end ? 'after this time' : null;
}
