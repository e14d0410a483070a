/** The chart with its buttons, its legend, and the same as a table and as statements. */

import { useMemo, useRef, useState } from 'preact/hooks';

import { Chart } from '../chart/chart.js';
import { stylesOf } from '../chart/colours.js';
import { moved, zoomed, type Stretch } from '../chart/time-scale.js';
import { choose, place, settle } from '../location.js';
import { chosenZone, zone } from '../preferences.js';
import { allTime, windowOf } from '../time-window.js';
import { changed, valueIn } from '../url.js';
import { clock, paceMs, windowText } from '../view.js';
import { printIso } from '../zone.js';
import { chartLabel, countWords } from './chart-label.js';
import { DataTable } from './data-table.js';
import { Legend } from './legend.js';
import { useMetricNotes } from './metric-notes.js';
import { namesOf } from './series-names.js';
import { StatementsView } from './statements-view.js';
import { TakeAway } from './take-away-buttons.js';
import { Step } from './toolbar.js';
import { knownOrder, orderWords, type LookWish } from './wish.js';

import type { MetricDescriptor } from '../../client/client.js';
import type { Ranking } from '../chart-statements.js';
import type { ChartAction } from '../chart/keys.js';
import type { Picture } from '../chart/picture.js';
import type { Condition } from '../series-filter.js';

interface PictureOptions {
  readonly picture: Picture;
  readonly metric: MetricDescriptor;
  readonly wish: LookWish;
  readonly onBusy: (isBusy: boolean) => void;
  readonly onFilter: (conditions: readonly Condition[]) => void;
}

export function PictureView(options: PictureOptions) {
  const { picture, metric, wish, onBusy } = options;
  const [lifted, setLifted] = useState<string | null>(null);
  const zooms = useRef(0);
  const canvas = useRef<HTMLCanvasElement | null>(null);
  const names = useMemo(() => namesOf(picture.ranked), [picture.ranked]);
  const window = shownWindow(picture);
  const unit = unitOf(metric);
  const { hidden, by, scale } = wish;
  const order = knownOrder(wish.order, metric.kind);
  const at = valueIn(place.value, 'at');
  const words = { picture, hidden, by };
  const label = chartLabel({ ...words, metric: metric.metric, window, unit, clock: clock.value });
  const look = (stretch: Stretch): void => {
    zooms.current += 1;
    choose({ t: textOf(stretch) });
  };
  const notes = useMetricNotes({
    metric: metric.metric,
    conditions: wish.conditions,
    window,
    paceMs: paceMs.value,
    narrow: look,
  });
  return (
    <>
      <ChartHead
        {...{ ...words, metric, order, look, window, canvas }}
        names={names.names}
        mark={() => {
          const ts = at === null ? window.end : BigInt(at);
          notes.mark({ start: ts, end: ts });
        }}
      />
      <Chart
        {...{ label, picture, window, hidden, lifted, unit, scale, canvas, onBusy }}
        names={names.names}
        clock={clock.value}
        isMean={by !== null && metric.kind !== 'counter'}
        at={at === null ? null : BigInt(at)}
        onPin={(ts) => {
          settle(changed(place.value, { at: ts === null ? null : String(ts) }));
        }}
        onWindow={look}
        onBack={() => {
          if (zooms.current === 0) return;
          zooms.current -= 1;
          history.back();
        }}
        onAction={actOn}
        onMark={notes.mark}
        lane={notes.lane}
      />
      {notes.dialog}
      <Below {...{ ...options, names, unit, setLifted }} />
    </>
  );
}

interface HeadOptions {
  readonly picture: Picture;
  readonly hidden: ReadonlySet<string>;
  readonly by: string | null;
  readonly metric: MetricDescriptor;
  readonly order: Ranking;
  readonly look: (stretch: Stretch) => void;
  readonly window: Stretch;
  readonly canvas: { readonly current: HTMLCanvasElement | null };
  readonly names: ReadonlyMap<string, string>;
  /** Opens the dialog for a note where the crosshair is pinned, or at the end. */
  readonly mark: () => void;
}

function ChartHead({
  picture,
  hidden,
  by,
  metric,
  order,
  look,
  window,
  canvas,
  names,
  mark,
}: HeadOptions) {
  const words = { picture, hidden, by };
  return (
    <div class="chart-head">
      <p class="quiet">
        {countWords(words)}
        {picture.lines.length < picture.count ? ` by ${orderWords[order]}` : ''}
      </p>
      <div class="steps">
        <Step
          icon="earlier"
          name="Earlier"
          onClick={() => {
            look(moved(window, -0.5));
          }}
        />
        <Step
          icon="later"
          name="Later"
          onClick={() => {
            look(moved(window, 0.5));
          }}
        />
        <Step
          icon="zoomIn"
          name="Zoom in"
          onClick={() => {
            look(zoomed(window, 0.5));
          }}
        />
        <Step
          icon="zoomOut"
          name="Zoom out"
          onClick={() => {
            look(zoomed(window, 2));
          }}
        />
        <Step icon="notes" name="New note" onClick={mark} />
        <TakeAway {...{ ...words, metric: metric.metric, names, canvas, window }} />
      </div>
    </div>
  );
}

/** A counter is shown as its growth. */
const unitOf = ({ kind, unit = '' }: MetricDescriptor): string =>
  kind === 'counter' ? `${unit}/s` : unit;

const textOf = ({ start, end }: Stretch): string => {
  const { unit } = clock.value;
  return `${printIso(start, unit)}..${printIso(end, unit)}`;
};

/** The one that was asked for, also before its answer came. */
function shownWindow(picture: Picture): Stretch {
  const text = windowText.value;
  if (text === null || text === allTime) return picture.window;
  const given = windowOf(text, { unit: clock.value.unit, nowMs: Date.now() });
  return given === null || given.endsNow ? picture.window : given;
}

function actOn({ kind }: ChartAction): void {
  if (kind === 'all') choose({ t: allTime });
  if (kind === 'live') choose({ live: valueIn(place.value, 'live') === null ? '5s' : null });
  if (kind === 'zone') chosenZone.value = zone.value === 'UTC' ? '' : 'UTC';
}

const tabs = [
  [null, 'Legend'],
  ['data', 'Data'],
  ['statements', 'as SeriesQL'],
] as const;

interface BelowOptions extends PictureOptions {
  readonly names: ReturnType<typeof namesOf>;
  readonly unit: string;
  readonly setLifted: (id: string | null) => void;
}

function Below(options: BelowOptions) {
  const { picture, metric, wish, names, unit } = options;
  const { hidden } = wish;
  const shown = valueIn(place.value, 'show');
  return (
    <>
      <div class="tabs" role="group" aria-label="Below the chart">
        {tabs.map(([show, words]) => (
          <button
            key={words}
            type="button"
            aria-pressed={show === shown}
            onClick={() => {
              choose({ show });
            }}
          >
            {words}
          </button>
        ))}
      </div>
      {shown === null ? <ShownLegend {...options} /> : null}
      {shown === 'data' ? (
        <DataTable {...{ picture, hidden, unit, names: names.names, clock: clock.value }} />
      ) : null}
      {shown === 'statements' ? <StatementsView statements={picture.statements} /> : null}
      {metric.kind === 'counter' ? (
        <p class="quiet note">A counter is shown as its growth a second.</p>
      ) : null}
    </>
  );
}

function ShownLegend({ picture, metric, wish, names, unit, setLifted, onFilter }: BelowOptions) {
  const { hidden, conditions } = wish;
  const order = knownOrder(wish.order, metric.kind);
  const drawn = picture.lines.map(({ id }) => id);
  const visible = drawn.filter((id) => !hidden.has(id));
  return (
    <Legend
      {...{ ranked: picture.ranked, names, hidden, unit, order }}
      latestUnit={metric.unit ?? ''}
      styles={stylesOf(drawn)}
      onLift={setLifted}
      onOrder={(sort) => {
        choose({ sort: sort === 'hi' ? null : sort, only: null });
      }}
      onOnly={(id) => {
        const isAlone = visible.length === 1 && visible[0] === id;
        choose({ only: isAlone ? null : id, hide: null });
      }}
      onToggle={(id) => {
        toggle(id, { drawn, visible, hidden });
      }}
      onFilter={(key, op, value) => {
        onFilter([...conditions.filter((one) => one.key !== key), { key, op, value }]);
      }}
    />
  );
}

interface Lines {
  readonly drawn: readonly string[];
  readonly visible: readonly string[];
  readonly hidden: ReadonlySet<string>;
}

/** A line that was not drawn comes to those that are. */
function toggle(id: string, { drawn, visible, hidden }: Lines): void {
  if (!drawn.includes(id)) {
    choose({ only: [...visible, id].join(','), hide: null });
    return;
  }
  const left = new Set(hidden);
  if (!left.delete(id)) left.add(id);
  choose({ hide: left.size === 0 ? null : [...left].join(',') });
}
