/** The formats that are made of exported lines: rows of a table. */

import { isDescribed, type ExportedMetric } from '../../common/model/exported-metric.js';
import { keysOf, namesOfTexts } from '../../common/model/table-columns.js';

import type { SampleRun } from './sample-runs.js';

export interface ExportForm {
  /** Text before all samples. */
  readonly begin: () => string | Uint8Array;
  /**
   * Prints these samples, and any held back earlier. Null, and no sample is taken, if a label that
   * appeared during the export has no column.
   */
  readonly print: (run: SampleRun) => string | Uint8Array | null;
  /** Prints the rest. */
  readonly end: () => string | Uint8Array;
}

/** The columns after time, metric and value: labels and descriptors. */
export class TextColumns {
  readonly names: readonly string[];
  readonly #keys: readonly string[];
  readonly #isDescribed: boolean;

  constructor(metrics: readonly ExportedMetric[]) {
    this.#keys = keysOf(metrics);
    this.#isDescribed = metrics.some(isDescribed);
    this.names = namesOfTexts(metrics);
  }

  /** The cells of each row of a run. Null for a series with a label without a column. */
  cellsOf({ metric, labels: own }: SampleRun): readonly (string | null)[] | null {
    const labels = new Map(Object.entries(own));
    const cells = this.#keys.map((key) => labels.get(key) ?? null);
    if (cells.filter((one) => one !== null).length !== labels.size) return null;
    const { kind, unit, description } = metric;
    return this.#isDescribed ? [...cells, kind, unit, description] : cells;
  }
}
