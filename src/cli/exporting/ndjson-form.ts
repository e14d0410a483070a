/**
 * Lines that ingest accepts: `{"metric":…,"labels":…,"ts":…,"value":…}`. The first line of a metric
 * has its descriptor.
 */

import { describingMembers, type ExportedMetric } from '../../common/model/exported-metric.js';
import { printDouble } from '../../common/tables/double-text.js';

import type { ExportForm } from './export-form.js';
import type { SampleRun } from '../session/sample-runs.js';

export class NdjsonForm implements ExportForm {
  /** The metric of the last printed line. */
  #described: ExportedMetric | null = null;

  begin(): string {
    return '';
  }

  print({ metric, series, samples }: SampleRun): string {
    const labels = JSON.stringify(series.labels);
    const rest = `"metric":${JSON.stringify(metric.name)},"labels":${labels}`;
    let text = '';
    for (const { ts, value } of samples) {
      let members = '';
      if (this.#described !== metric) {
        this.#described = metric;
        members = describingMembers(metric);
      }
      text += `{${members}${rest},"ts":${String(ts)},"value":${printDouble(value)}}\n`;
    }
    return text;
  }

  end(): string {
    return '';
  }
}
