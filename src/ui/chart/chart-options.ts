/** The options of a chart. */

import type { PageClock } from '../zone.js';
import type { LineStyle } from './colours.js';
import type { ChartAction } from './keys.js';
import type { Picture } from './picture.js';
import type { TimeStretch, TimeScale } from './time-scale.js';
import type { ValueScale } from './value-axis.js';
import type { ComponentChildren } from 'preact';

export interface ChartOptions {
  /** `Chart of cpu.usage_user, 20 of 1,000 series, …` */
  readonly label: string;
  readonly picture: Picture;
  /** The visible time range: the picture's window, or a range that the user zooms to. */
  readonly window: TimeStretch;
  readonly hidden: ReadonlySet<string>;
  /** The id of the line highlighted elsewhere; null: none. */
  readonly lifted: string | null;
  readonly names: ReadonlyMap<string, string>;
  readonly unit: string;
  readonly clock: PageClock;
  readonly scale: ValueScale;
  /** Styles by line id; lines without one use the style of their id. */
  readonly styles?: ReadonlyMap<string, LineStyle>;
  /** A second time shown beside the time under the crosshair. */
  readonly also?: (ts: bigint) => string;
  readonly onWindow: (stretch: TimeStretch) => void;
  /** Called with the value range that the user selected. */
  readonly onValues?: (low: number, high: number) => void;
  /** Called to undo the last zoom. */
  readonly onBack: () => void;
  readonly onAction: (action: ChartAction) => void;
  /** Called with a time range, or a point, that the user wants to annotate. */
  readonly onMark?: (stretch: TimeStretch) => void;
  /** True while the user drags or inspects the chart: automatic refreshes would disturb. */
  readonly onBusy?: (isBusy: boolean) => void;
  /** The time of the pinned crosshair; null: none. */
  readonly at?: bigint | null;
  readonly onPin?: (ts: bigint | null) => void;
  /** Content below the plot, aligned by time. */
  readonly lane?: (scale: TimeScale) => ComponentChildren;
  /** Receives the canvas, which the image download reads. */
  readonly canvas?: { current: HTMLCanvasElement | null };
}
