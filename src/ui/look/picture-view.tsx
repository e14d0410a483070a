/** The chart with its buttons, legend, data table and statements. */

import { useMemo, useRef, useState } from 'preact/hooks';

import { Chart } from '../chart/chart.js';
import { stylesOf } from '../chart/colours.js';
import { choose, place, settle } from '../location.js';
import { allTime, windowOf } from '../time-window.js';
import { changed, valueIn } from '../url.js';
import { clock, paceMs, windowText } from '../view.js';
import { chartLabel, countWords, drawnUnit } from './chart-label.js';
import { DataTable } from './data-table.js';
import { Legend } from './legend.js';
import { aloneOf, toggled, type LineChoice } from './line-choice.js';
import { useMetricNotes } from './metric-notes.js';
import { namesOf } from './series-names.js';
import { SilentSeries } from './silent-series.js';
import { StatementsView } from './statements-view.js';
import { TakeAway } from './take-away-buttons.js';
import { Step } from './toolbar.js';
import { actOn, useZooms } from './window-address.js';
import { WindowSteps } from './window-steps.js';
import { knownOrder, orderWords, type LookWish } from './wish.js';

import type { MetricDescriptor } from '../../client/client.js';
import type { Ranking } from '../chart-statements.js';
import type { Picture } from '../chart/picture.js';
import type { TimeStretch } from '../chart/time-scale.js';
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
  const { look, back, zoomed } = useZooms();
  const canvas = useRef<HTMLCanvasElement | null>(null);
  const names = useMemo(() => namesOf(picture.ranked), [picture.ranked]);
  const window = shownWindow(picture);
  const unit = drawnUnit(metric);
  const { hidden, by, scale } = wish;
  const order = knownOrder(wish.order, metric.kind);
  const at = valueIn(place.value, 'at');
  const words = { picture, hidden, by };
  const label = chartLabel({ ...words, metric: metric.metric, window, unit, clock: clock.value });
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
        {...{ ...words, metric, order, look, window, canvas, conditions: wish.conditions }}
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
        at={at === null ? null : BigInt(at)}
        onPin={(ts) => {
          settle(changed(place.value, { at: ts === null ? null : String(ts) }));
        }}
        onWindow={look}
        onValues={(low, high) => {
          zoomed(() => {
            choose({ y: [low, high].map(short).join('..') });
          });
        }}
        onBack={back}
        onAction={actOn}
        onMark={notes.mark}
        lane={notes.lane}
      />
      {notes.dialog}
      <Below {...{ ...options, names, unit, setLifted }} />
    </>
  );
}

interface PictureHeadOptions {
  readonly picture: Picture;
  readonly hidden: ReadonlySet<string>;
  readonly by: string | null;
  readonly metric: MetricDescriptor;
  readonly conditions: readonly Condition[];
  readonly order: Ranking;
  readonly look: (stretch: TimeStretch) => void;
  readonly window: TimeStretch;
  readonly canvas: { readonly current: HTMLCanvasElement | null };
  readonly names: ReadonlyMap<string, string>;
  /** Opens the dialog for a note at the pinned crosshair, or at the end of the window. */
  readonly mark: () => void;
}

function ChartHead({
  picture,
  hidden,
  by,
  metric,
  conditions,
  order,
  look,
  window,
  canvas,
  names,
  mark,
}: PictureHeadOptions) {
  const words = { picture, hidden, by };
  return (
    <div class="chart-head">
      <div class="quiet chart-count">
        <p>
          {countWords(words)}
          {picture.lines.length < picture.ranked.length ? ` by ${orderWords[order]}` : ''}
        </p>
        <SilentSeries {...{ metric: metric.metric, picture, conditions, by }} />
      </div>
      <div class="steps">
        <WindowSteps {...{ window, look }} />
        <Step icon="notes" name="New note" onClick={mark} />
        <TakeAway {...{ ...words, metric, conditions, names, canvas, window }} />
      </div>
    </div>
  );
}

/** The requested window, even before its answer arrives. */
function shownWindow(picture: Picture): TimeStretch {
  const text = windowText.value;
  if (text === null || text === allTime) return picture.window;
  const given = windowOf(text, { ...clock.value, nowMs: Date.now() });
  return given === null || given.endsNow ? picture.window : given;
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
        <p class="quiet note">A counter is shown as its rate per second.</p>
      ) : null}
    </>
  );
}

function ShownLegend({ picture, metric, wish, names, unit, setLifted, onFilter }: BelowOptions) {
  const { hidden, conditions } = wish;
  const order = knownOrder(wish.order, metric.kind);
  const drawn = picture.lines.map(({ id }) => id);
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
        takeChoice(aloneOf(id, { drawn, hidden }));
      }}
      onToggle={(id) => {
        takeChoice(toggled(id, { drawn, hidden }));
      }}
      onFilter={(key, op, value) => {
        onFilter([...conditions.filter((one) => one.key !== key), { key, op, value }]);
      }}
    />
  );
}

/** Four digits are as exact as a pixel. */
const short = (value: number): number => Number(value.toPrecision(4));

function takeChoice({ only, hidden }: LineChoice): void {
  const text = hidden.size === 0 ? null : [...hidden].join(',');
  choose({ ...(only === undefined ? {} : { only: only?.join(',') ?? null }), hide: text });
}
