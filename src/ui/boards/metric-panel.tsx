/** The chart of a metric on a board. */

import { drawnUnit } from '../look/chart-label.js';
import { noSamplesText } from '../look/no-samples.js';
import { useLook } from '../look/use-look.js';
import { wishOf } from '../look/wish.js';
import { AnswerView } from '../widgets/answer-view.js';
import { PanelChart } from './panel-chart.js';

import type { PagePlace } from '../url.js';

/** The panel's share of the page width: two panels stand side by side. */
const kShare = 0.5;

interface MetricPanelOptions {
  readonly title: string;
  /** The address of the chart's own page. */
  readonly alone: PagePlace;
}

export function MetricPanel({ title, alone }: MetricPanelOptions) {
  const wish = wishOf(alone);
  const { answer, onBusy } = useLook(wish, kShare);
  return (
    <AnswerView answer={answer} frame={<div class="chart-frame" />}>
      {({ metric, picture, lastTs, refusal }) => {
        if (metric === null) {
          return <p class="nothing">There is no metric named “{wish.metric}”.</p>;
        }
        if (picture === null) return <p class="nothing">{refusal}</p>;
        if (picture.lines.length === 0) {
          return (
            <p class="nothing">
              {lastTs === null
                ? 'No samples in this time range.'
                : noSamplesText(picture.window, lastTs)}
            </p>
          );
        }
        return (
          <PanelChart
            {...{ title, picture, onBusy }}
            window={picture.window}
            unit={drawnUnit(metric)}
            scale={wish.scale}
            hidden={wish.hidden}
          />
        );
      }}
    </AnswerView>
  );
}
