/** What samples are printed as: lines, or rows of a table. */

import { isDescribed, type ExportedMetric } from '../../model/exported-metric.js';
import { keysOf, namesOfTexts } from '../../model/table-columns.js';

import type { SampleRun } from '../session/sample-runs.js';

export interface ExportForm {
  /** What stands before all samples. */
  readonly begin: () => string | Uint8Array;
  /**
   * Of these samples, and of earlier ones that were held back. Null, and nothing is taken, for a
   * series that the form has no place for, since it has a label of a later day.
   */
  readonly print: (run: SampleRun) => string | Uint8Array | null;
  /** What is left. */
  readonly end: () => string | Uint8Array;
}

/** The columns of a table behind time, metric and value: labels, and what describes metrics. */
export class TextColumns {
  readonly names: readonly string[];
  readonly #keys: readonly string[];
  readonly #isDescribed: boolean;

  constructor(metrics: readonly ExportedMetric[]) {
    this.#keys = keysOf(metrics);
    this.#isDescribed = metrics.some(isDescribed);
    this.names = namesOfTexts(metrics);
  }

  /** The cells of each row of a run. Null for a series with a label that has no column. */
  cellsOf({ metric, series }: SampleRun): readonly (string | null)[] | null {
    const labels = new Map(Object.entries(series.labels));
    const cells = this.#keys.map((key) => labels.get(key) ?? null);
    if (cells.filter((one) => one !== null).length !== labels.size) return null;
    const { kind, unit, description } = metric;
    return this.#isDescribed ? [...cells, kind, unit, description] : cells;
  }
}
