/** The data of a chart. */

import type { BucketWidth } from '../ladder.js';
import type { TimeWindow } from '../time-window.js';
import type { ChartLine } from './lines.js';

/** A row of the legend, drawn or not. */
export interface RankedSeries {
  readonly id: string;
  /** The key in statements: the series id, or the label value. */
  readonly key: string;
  readonly labels: Readonly<Record<string, string>>;
  /** `lo` and `hi` of a counter's growth are unknown until its line is drawn. */
  readonly lo: number | null;
  readonly hi: number | null;
  readonly mean: number | null;
  readonly latest: number | null;
  readonly n: number;
  /** The approximate distance of its samples, in ticks. */
  readonly interval: number;
}

export interface Picture {
  readonly window: TimeWindow;
  /** The time that every x is relative to. */
  readonly origin: bigint;
  /** The width of a bucket; null: raw samples. */
  readonly width: BucketWidth | null;
  readonly ranked: readonly RankedSeries[];
  /** The number of matching series, or of label values in a split. */
  readonly count: number;
  readonly lines: readonly ChartLine[];
  /** The range of all lines; null if all of them are drawn. */
  readonly envelope: ChartLine | null;
  readonly statements: readonly string[];
}
