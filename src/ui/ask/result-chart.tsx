/** An answer as a chart. The user's choices stay when another answer arrives. */

import { useMemo, useState } from 'preact/hooks';

import { Chart } from '../chart/chart.js';
import { stylesOf } from '../chart/colours.js';
import { chartLabel, countWords } from '../look/chart-label.js';
import { Legend } from '../look/legend.js';
import { aloneOf, toggled, type LineChoice } from '../look/line-choice.js';
import { namesOf } from '../look/series-names.js';
import { swapZone } from '../look/window-address.js';
import { WindowSteps } from '../look/window-steps.js';
import { printCount } from '../units.js';
import { clock } from '../view.js';
import { perSecond } from '../zone.js';
import { linesOf, type ResultLines } from './result-lines.js';

import type { QueryResult } from '../../client/client.js';
import type { Ranking } from '../chart-statements.js';
import type { Picture, RankedSeries } from '../chart/picture.js';
import type { TimeStretch } from '../chart/time-scale.js';

/** Lines drawn at once, as on the page of a metric. */
const kLines = 20;
/** The maximum of lines chosen by a label; more cannot be told apart. */
const kLinesMost = 100;

export function ResultChart({ result }: { readonly result: QueryResult }) {
  return <LinesChart found={useMemo(() => linesOf(result), [result])} />;
}

/** Shows the chart, or the sentence that says why there is none. */
export function LinesChart({ found }: { readonly found: ResultLines | string }) {
  return typeof found === 'string' ? <p class="nothing">{found}</p> : <Drawn found={found} />;
}

/** Widens an empty range by 30 s on each side. */
function roomy({ start, end }: TimeStretch): TimeStretch {
  if (start < end) return { start, end };
  const half = 30n * perSecond(clock.value.unit);
  return { start: start - half, end: end + half };
}

function ordered(ranked: readonly RankedSeries[], order: Ranking): readonly RankedSeries[] {
  const way = order === 'lo' ? 1 : -1;
  const figure = (one: RankedSeries): number => one[order] ?? -way * Infinity;
  return [...ranked].sort((one, two) => way * (figure(one) - figure(two)) || 0);
}

interface ChartChoice {
  readonly order: Ranking;
  readonly only: readonly string[] | null;
  readonly hidden: ReadonlySet<string>;
}

export const firstChoice: ChartChoice = { order: 'hi', only: null, hidden: new Set() };

/** The lines of an answer as a picture for a chart. */
export function pictureOf(found: ResultLines, { order, only }: ChartChoice): Picture {
  const ranked = ordered(found.ranked, order);
  const wanted = ranked.filter(({ id }) => only?.includes(id) === true);
  const drawn = wanted.length > 0 ? wanted : ranked.slice(0, kLines);
  return {
    window: { ...roomy(found.window), endsNow: false },
    ...{ origin: found.window.start, width: null, ranked, count: ranked.length },
    lines: drawn.flatMap(({ id }) => {
      const line = found.lines.get(id);
      return line === undefined ? [] : [line];
    }),
    ...{ envelope: null, statements: [] },
  };
}

/** The zoomed window, as long as it overlaps the answer; otherwise the whole answer. */
function useWindow(all: TimeStretch) {
  const [zooms, setZooms] = useState<readonly TimeStretch[]>([]);
  const last = zooms.at(-1);
  const isThere = last !== undefined && last.start < all.end && last.end > all.start;
  return {
    window: isThere ? last : all,
    look: (stretch: TimeStretch) => {
      setZooms([...zooms, stretch]);
    },
    back: () => {
      setZooms(zooms.slice(0, -1));
    },
    all: () => {
      setZooms([]);
    },
  };
}

function Drawn({ found }: { readonly found: ResultLines }) {
  const [choice, setChoice] = useState(firstChoice);
  const [lifted, setLifted] = useState<string | null>(null);
  const picture = useMemo(() => pictureOf(found, choice), [found, choice.order, choice.only]);
  const { window, look, back, all } = useWindow(picture.window);
  const series = useMemo(() => namesOf(picture.ranked), [found]);
  const { hidden, order } = choice;
  const { names } = series;
  const unit = found.areDurations ? clock.value.unit : '';
  const words = { picture, hidden, by: null };
  const drawn = picture.lines.map(({ id }) => id);
  const take = ({ only, hidden: next }: LineChoice): void => {
    setChoice({ ...choice, hidden: next, only: only === undefined ? choice.only : only });
  };
  return (
    <>
      <div class="chart-head">
        <p class="quiet">
          {countWords(words)}
          {found.sharing === 0 ? '' : sharingWords(found.sharing)}
        </p>
        <div class="steps">
          <WindowSteps {...{ window, look }} />
        </div>
      </div>
      <Chart
        {...{ picture, window, hidden, lifted, names, unit }}
        label={chartLabel({ ...words, metric: 'the answer', window, unit, clock: clock.value })}
        clock={clock.value}
        scale={null}
        onWindow={look}
        onBack={back}
        onAction={({ kind }) => {
          if (kind === 'all') all();
          if (kind === 'zone') swapZone();
        }}
      />
      <Legend
        {...{ ranked: picture.ranked, names: series, hidden, unit, latestUnit: unit, order }}
        styles={stylesOf(drawn)}
        onLift={setLifted}
        onOrder={(next) => {
          setChoice({ ...choice, order: next, only: null });
        }}
        onOnly={(id) => {
          take(aloneOf(id, { drawn, hidden }));
        }}
        onToggle={(id) => {
          take(toggled(id, { drawn, hidden }));
        }}
        onFilter={(key, op, value) => {
          const isWanted = ({ labels }: RankedSeries): boolean =>
            (labels[key] === value) === (op === '=');
          const only = picture.ranked.filter(isWanted).slice(0, kLinesMost);
          take({ only: only.map(({ id }) => id), hidden: new Set() });
        }}
      />
    </>
  );
}

/** Values that share a time are drawn as one range, which would misrepresent separate series. */
const sharingWords = (count: number): string =>
  `, of which ${printCount(count)} values share a time with another: add a text column to separate the lines`;
