/** The page of a metric: its metadata, filter and chart. */

import { choose, place } from '../location.js';
import { printFilter, type Condition } from '../series-filter.js';
import { unitSymbol } from '../units.js';
import { changed, printPlace } from '../url.js';
import { clock } from '../view.js';
import { printIso } from '../zone.js';
import { Breakable } from '../widgets/breakable.js';
import { Icon } from '../widgets/icons.js';
import { FilterBar } from './filter-bar.js';
import { noSamplesText } from './no-samples.js';
import { PictureView } from './picture-view.js';
import { namesOf } from './series-names.js';
import { Picks } from './toolbar.js';
import { knownOrder } from './wish.js';

import type { MetricDescriptor } from '../../client/client.js';
import type { Look } from '../data/looks.js';
import type { LookWish } from './wish.js';

interface MetricViewOptions {
  readonly look: Look;
  readonly metric: MetricDescriptor;
  readonly wish: LookWish;
  readonly onBusy: (isBusy: boolean) => void;
}

/** Resets choices of lines, which are invalid after the lines change. */
const otherLines = { only: null, hide: null } as const;

export function MetricView({ look, metric, wish, onBusy }: MetricViewOptions) {
  const { kind, unit = '', description = '', label_keys: keys } = metric;
  const { picture } = look;
  const filter = (conditions: readonly Condition[]): void => {
    const text = printFilter(conditions);
    choose({ w: text === '' ? null : text, ...otherLines });
  };
  const { common } = namesOf(picture?.ranked ?? []);
  return (
    <>
      <div class="metric-head">
        <h1 class="name">
          <Breakable text={metric.metric} />
        </h1>
        <span class={`badge ${kind}`}>{kind}</span>
        {unit === '' ? null : (
          <span class="badge" title={unit}>
            {unitSymbol(unit)}
          </span>
        )}
      </div>
      {description === '' ? null : <p class="about quiet">{description}</p>}
      <div class="choosers">
        <FilterBar
          {...{ metric: metric.metric, keys, conditions: wish.conditions }}
          onChange={filter}
        />
        <div class="picks">
          <Picks
            {...{
              keys,
              by: wish.by,
              lines: wish.lines,
              order: knownOrder(wish.order, kind),
              scale: wish.scale,
            }}
            onBy={(by) => {
              choose({ by, ...otherLines });
            }}
            onLines={(lines) => {
              choose({ n: lines === 20 ? null : String(lines), ...otherLines });
            }}
            onOrder={(sort) => {
              choose({ sort: sort === 'hi' ? null : sort, only: null });
            }}
            onScale={(y) => {
              choose({ y });
            }}
          />
        </div>
      </div>
      {common.length === 0 ? null : (
        <p class="common quiet">
          All:{' '}
          {common.map(([key, value]) => (
            <span key={key}>
              {key} = <b>{value}</b>
            </span>
          ))}
        </p>
      )}
      {picture === null || picture.lines.length === 0 ? (
        <Empty {...{ look }} />
      ) : (
        <PictureView {...{ picture, metric, wish, onBusy, onFilter: filter }} />
      )}
    </>
  );
}

/** Says why the chart is empty, and how to change that. */
function Empty({ look: { picture, lastTs, refusal } }: { readonly look: Look }) {
  if (picture === null) {
    return (
      <p class="notice" role="alert">
        <Icon name="warning" />
        There are too many series to rank. Group them by a label, or filter them. {refusal}
      </p>
    );
  }
  const { start, end } = picture.window;
  const { unit } = clock.value;
  if (lastTs === null) {
    return (
      <p class="nothing">
        No series matches, or none that matches has samples.{' '}
        <a href={printPlace(changed(place.value, { w: null }))}>Remove the filter</a>
      </p>
    );
  }
  const span = end - start;
  const there = `${printIso(lastTs - span, unit)}..${printIso(lastTs, unit)}`;
  return (
    <p class="nothing">
      {noSamplesText(picture.window, lastTs)}{' '}
      <a href={printPlace(changed(place.value, { t: there, live: null }))}>Go there</a>
    </p>
  );
}
