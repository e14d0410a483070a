/** What a page tells a chart. */

import type { Clock } from '../zone.js';
import type { LineStyle } from './colours.js';
import type { ChartAction } from './keys.js';
import type { Picture } from './picture.js';
import type { Stretch, TimeScale } from './time-scale.js';
import type { ValueScale } from './value-axis.js';
import type { ComponentChildren } from 'preact';

export interface ChartOptions {
  /** `Chart of cpu.usage_user, 20 of 1,000 series, …` */
  readonly label: string;
  readonly picture: Picture;
  /** What is to be seen, the picture's window or one that it is stretched to meanwhile. */
  readonly window: Stretch;
  readonly hidden: ReadonlySet<string>;
  /** The line that is pointed at elsewhere. */
  readonly lifted: string | null;
  readonly names: ReadonlyMap<string, string>;
  readonly unit: string;
  readonly clock: Clock;
  readonly scale: ValueScale;
  /** How lines look; those of their ids where nothing is said. */
  readonly styles?: ReadonlyMap<string, LineStyle>;
  /** Another time that is told beside the one that is pointed at. */
  readonly also?: (ts: bigint) => string;
  readonly onWindow: (stretch: Stretch) => void;
  /** Only what lies between two values is to be seen. */
  readonly onValues?: (low: number, high: number) => void;
  /** One step back from where it was zoomed to. */
  readonly onBack: () => void;
  readonly onAction: (action: ChartAction) => void;
  /** A stretch, or a point, that somebody wants to say something about. */
  readonly onMark?: (stretch: Stretch) => void;
  /** It is dragged or looked at: what comes by itself would disturb. */
  readonly onBusy?: (isBusy: boolean) => void;
  /** Where a crosshair stood, or is to stand from now on; null: nowhere. */
  readonly at?: bigint | null;
  readonly onPin?: (ts: bigint | null) => void;
  /** What stands below the plot, by its times. */
  readonly lane?: (scale: TimeScale) => ComponentChildren;
  /** Where the picture is taken from, once it is there. */
  readonly canvas?: { current: HTMLCanvasElement | null };
}
