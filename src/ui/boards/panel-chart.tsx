/** The chart of a panel. Zooming it changes the time range of the whole board. */

import { useMemo } from 'preact/hooks';

import { Chart } from '../chart/chart.js';
import { stylesOf } from '../chart/colours.js';
import { Swatch } from '../chart/swatch.js';
import { chartLabel } from '../look/chart-label.js';
import { namesOf } from '../look/series-names.js';
import { actOn, useZooms } from '../look/window-address.js';
import { clock } from '../view.js';

import type { Picture } from '../chart/picture.js';
import type { TimeStretch } from '../chart/time-scale.js';
import type { ValueScale } from '../chart/value-axis.js';

interface PanelChartOptions {
  readonly title: string;
  readonly picture: Picture;
  readonly window: TimeStretch;
  readonly unit: string;
  readonly scale: ValueScale;
  readonly hidden?: ReadonlySet<string>;
  readonly onBusy?: (isBusy: boolean) => void;
}

const none: ReadonlySet<string> = new Set();
/** The most names shown beside a small chart. */
const kNamesMax = 8;

export function PanelChart(options: PanelChartOptions) {
  const { title, picture, window, unit, hidden = none, onBusy } = options;
  const { names } = useMemo(() => namesOf(picture.ranked), [picture.ranked]);
  const { look, back } = useZooms();
  const words = { picture, hidden, window, unit, by: null, clock: clock.value };
  const drawn = picture.lines.map(({ id }) => id).filter((id) => !hidden.has(id));
  // The title already names a single line without labels.
  const isNamed = drawn.length > 1 || Object.keys(picture.ranked[0]?.labels ?? {}).length > 0;
  const styles = stylesOf(picture.lines.map(({ id }) => id));
  return (
    <>
      <Chart
        {...{ picture, window, hidden, names, unit, scale: options.scale }}
        label={chartLabel({ ...words, metric: title })}
        lifted={null}
        clock={clock.value}
        onWindow={look}
        onBack={back}
        onAction={actOn}
        {...(onBusy === undefined ? {} : { onBusy })}
      />
      <ul class="panel-names" hidden={!isNamed}>
        {drawn.slice(0, kNamesMax).map((id) => {
          const style = styles.get(id);
          return (
            <li key={id}>
              {style === undefined ? null : <Swatch look={style} />}
              {names.get(id) ?? id}
            </li>
          );
        })}
        {drawn.length > kNamesMax ? (
          <li class="quiet">and {drawn.length - kNamesMax} more</li>
        ) : null}
      </ul>
    </>
  );
}
