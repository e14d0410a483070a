/** Reads exported lines as runs of samples of one series, for the formats of tables. */

import type { Labels } from '../../client/client.js';
import type { ExportedMetric } from '../../common/model/exported-metric.js';

/** The digits of the line. */
interface ExportedSample {
  readonly ts: string;
  readonly value: string;
}

export interface SampleRun {
  readonly metric: ExportedMetric;
  readonly labels: Labels;
  readonly samples: readonly ExportedSample[];
}

const timeMember = ',"ts":';
const valueMember = ',"value":';

interface ExportedSeries {
  readonly metric: ExportedMetric;
  readonly labels: Labels;
}

export class RunReader {
  readonly #metrics: ReadonlyMap<string, ExportedMetric>;
  /** The text before the time in the first line of the series. */
  #head = '';
  #series: ExportedSeries | null = null;

  /** Metrics that begin later have no descriptor. */
  constructor(metrics: readonly ExportedMetric[]) {
    this.#metrics = new Map(metrics.map((metric) => [metric.name, metric]));
  }

  /** REQUIRES: whole lines. Runs of one piece; a run may continue in the next piece. */
  *read(piece: Uint8Array): Generator<SampleRun> {
    const lines = Buffer.from(piece.buffer, piece.byteOffset, piece.length).toString();
    let samples: ExportedSample[] = [];
    let series: ExportedSeries | null = null;
    for (let at = 0; at < lines.length;) {
      const end = lines.indexOf('\n', at);
      const timeAt = this.#readHead(lines, at, end);
      if (series !== this.#series) {
        if (series !== null) yield { ...series, samples };
        series = this.#series;
        samples = [];
      }
      const valueAt = lines.indexOf(valueMember, timeAt);
      samples.push({
        ts: lines.slice(timeAt + timeMember.length, valueAt),
        value: lines.slice(valueAt + valueMember.length, end - 1),
      });
      at = end + 1;
    }
    if (series !== null) yield { ...series, samples };
  }

  /** Reads the series of a line if it is another one. Returns where the time begins. */
  #readHead(lines: string, at: number, end: number): number {
    const headEnd = at + this.#head.length;
    const isSame = this.#head !== '' && lines.startsWith(this.#head, at);
    if (isSame && lines.startsWith(timeMember, headEnd)) return headEnd;
    // A label may contain the text of the member, but only with escaped quotes.
    const timeAt = lines.lastIndexOf(timeMember, end);
    const { metric: name, labels } = JSON.parse(`${lines.slice(at, timeAt)}}`) as {
      readonly metric: string;
      readonly labels: Labels;
    };
    this.#head = lines.slice(at, timeAt);
    const metric = this.#metrics.get(name) ?? withoutDescriptor(name);
    this.#series = { metric, labels };
    return timeAt;
  }
}

function withoutDescriptor(name: string): ExportedMetric {
  return { name, labelKeys: [], kind: null, unit: null, description: null };
}
