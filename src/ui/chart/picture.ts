/** What a chart shows, as it was answered. */

import type { BucketWidth } from '../ladder.js';
import type { TimeWindow } from '../time-window.js';
import type { Line } from './lines.js';

/** A line of the legend, drawn or not. */
export interface Ranked {
  readonly id: string;
  /** What a statement calls it: the id, or the value of the label. */
  readonly key: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Not known of a counter's growth before it is drawn. */
  readonly lo: number | null;
  readonly hi: number | null;
  readonly mean: number | null;
  readonly latest: number | null;
  readonly n: number;
  /** Ticks between its samples, about. */
  readonly interval: number;
}

export interface Picture {
  readonly window: TimeWindow;
  /** All x count from here. */
  readonly origin: bigint;
  /** Null: samples as they are. */
  readonly width: BucketWidth | null;
  readonly ranked: readonly Ranked[];
  /** Of series that match, or of values of a split. */
  readonly count: number;
  readonly lines: readonly Line[];
  /** Between what all lie, where not all are drawn. */
  readonly envelope: Line | null;
  readonly statements: readonly string[];
}
