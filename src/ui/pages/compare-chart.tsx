/** Both windows of a comparison in one chart. */

import { useMemo } from 'preact/hooks';

import { Chart } from '../chart/chart.js';
import { useAnswer } from '../data/answer.js';
import { loadOverlay, overlaid } from '../data/overlay.js';
import { chartLabel, drawnUnit } from '../look/chart-label.js';
import { useColumns } from '../chart/columns.js';
import { actOn, useZooms } from '../look/window-address.js';
import { WindowSteps } from '../look/window-steps.js';
import { readFilter } from '../series-filter.js';
import { earlier, shiftWords } from '../shift.js';
import { clock } from '../view.js';
import { AnswerView } from '../widgets/answer-view.js';
import { printTime } from '../zone.js';

import type { MetricDescriptor } from '../../client/client.js';
import type { LineStyle } from '../chart/colours.js';
import type { Picture } from '../chart/picture.js';
import type { ComparedRows, CompareStretch } from '../data/compare.js';

/** The baseline is dashed, so that it differs without colours too. */
export const nowStyle: LineStyle = { colour: 0, dash: 'solid' };
export const thenStyle: LineStyle = { colour: 5, dash: 'dashed' };
const styles = new Map([
  [overlaid.now, nowStyle],
  [overlaid.then, thenStyle],
] as const);

const noLine: ReadonlySet<string> = new Set();

interface CompareChartOptions {
  readonly comparison: ComparedRows;
  readonly descriptor: MetricDescriptor;
  readonly filter: string;
  readonly shift: string;
  readonly windows: { readonly now: CompareStretch; readonly then: CompareStretch };
}

export function CompareChart(options: CompareChartOptions) {
  const { comparison, descriptor, filter, windows } = options;
  const { metric, kind } = descriptor;
  const { now, then } = windows;
  const columns = useColumns();
  const interval = intervalOf(comparison, now);
  const answer = useAnswer<Picture>({
    question: (signal) =>
      loadOverlay(
        {
          ...{
            metric,
            conditions: readFilter(filter || '{}') ?? [],
            isCounter: kind === 'counter',
          },
          ...{ now, then, columns, interval, unit: clock.value.unit, zone: clock.value.zone },
        },
        signal,
      ),
    key: [metric, filter, now.start, now.end, then.start, then.end, columns, clock.value.zone].join(
      ' ',
    ),
    againAfterMs: () => null,
  });
  return (
    <div class="overlay">
      <AnswerView answer={answer}>{(picture) => <Drawn {...{ ...options, picture }} />}</AnswerView>
    </div>
  );
}

/** The mean distance of a series' samples, in ticks. */
function intervalOf({ now, then }: ComparedRows, { start, end }: CompareStretch): number {
  const measured = now.length > 0 ? now : then;
  const samples = measured.reduce((sum, one) => sum + one.samples, 0);
  return Number(end - start) / Math.max(1, samples / Math.max(1, measured.length));
}

function Drawn({
  picture,
  descriptor,
  shift,
  windows: { now },
}: CompareChartOptions & { readonly picture: Picture }) {
  const { look, back } = useZooms();
  const earlierWords = `${shiftWords(shift)} earlier`;
  const names = useMemo(
    () =>
      new Map<string, string>([
        [overlaid.now, 'now'],
        [overlaid.then, earlierWords],
      ]),
    [earlierWords],
  );
  const unit = drawnUnit(descriptor);
  const common = { picture, window: now, hidden: noLine, unit, clock: clock.value };
  const label = { ...common, metric: descriptor.metric, by: null };
  return (
    <>
      <div class="chart-head">
        <p class="quiet">
          {descriptor.kind === 'counter'
            ? 'increase per second'
            : 'mean, between smallest and largest'}
        </p>
        <div class="steps">
          <WindowSteps window={now} look={look} />
        </div>
      </div>
      <Chart
        {...common}
        label={chartLabel({ ...label, what: `now and ${earlierWords}` })}
        names={names}
        styles={styles}
        also={(ts) => printTime(earlier(ts, shift, clock.value), clock.value)}
        lifted={null}
        scale={null}
        onWindow={look}
        onBack={back}
        onAction={actOn}
      />
    </>
  );
}
