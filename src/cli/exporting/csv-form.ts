/**
 * CSV rows under a header, quoted as in RFC 4180. A missing label is an empty cell; an empty label
 * value is a pair of quotes.
 */

import { csvText } from '../../common/model/csv-text.js';

import { sampleColumns } from '../../common/model/table-columns.js';

import { TextColumns, type ExportForm } from './export-form.js';

import type { TimestampUnit } from '../../common/model/timestamp-unit.js';
import type { ExportedMetric } from '../../common/model/exported-metric.js';
import type { SampleRun } from './sample-runs.js';

export class CsvForm implements ExportForm {
  readonly #unit: TimestampUnit;
  readonly #texts: TextColumns;

  constructor(unit: TimestampUnit, metrics: readonly ExportedMetric[]) {
    this.#unit = unit;
    this.#texts = new TextColumns(metrics);
  }

  begin(): string {
    return `${rowOf([...sampleColumns(this.#unit), ...this.#texts.names])}\n`;
  }

  print(run: SampleRun): string | null {
    const cells = this.#texts.cellsOf(run);
    if (cells === null) return null;
    const { metric, samples } = run;
    const name = cellOf(metric.name);
    const end = cells.length === 0 ? '\n' : `,${rowOf(cells)}\n`;
    let text = '';
    for (const { ts, value } of samples) {
      text += `${ts},${name},${value}${end}`;
    }
    return text;
  }

  end(): string {
    return '';
  }
}

function rowOf(cells: readonly (string | null)[]): string {
  return cells.map(cellOf).join(',');
}

/** Null is an empty cell. */
function cellOf(text: string | null): string {
  return text === null ? '' : csvText(text);
}
