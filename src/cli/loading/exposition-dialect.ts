/**
 * Translates Prometheus' text format and OpenMetrics to lines of JSON. Names and labels stay as
 * they are. The first sample of each metric carries the TYPE, HELP and UNIT of its family.
 */

import { parseDecimalTime } from '../../common/model/decimal-time.js';
import { unitOfMagnitude } from '../../common/model/time-magnitude.js';

import { parseExpositionLine, type ExpositionSample } from './exposition-line.js';
import { memberOf, numberOf } from '../../common/tables/row-lines.js';
import { RowFault, shortened } from '../../common/tables/table-fault.js';

import type { TimestampUnit } from '../../common/model/timestamp-unit.js';
import type { Dialect } from './translated-input.js';

interface DialectTimes {
  /** The database's timestamp unit. */
  readonly unit: TimestampUnit;
  /** The time of samples without one, in the database's unit. */
  readonly at: bigint;
}

interface DialectOptions {
  /** Whether the descriptors of the text are sent to the database. */
  readonly isDescribing: boolean;
}

export function expositionDialect(times: DialectTimes, { isDescribing }: DialectOptions): Dialect {
  const families = new Families();
  return {
    translate: (line, leaveOut) => {
      const parsed = parseExpositionLine(line);
      if (parsed === null) return [];
      if (parsed.kind !== 'sample') {
        families.note(parsed.family, { [parsed.kind]: parsed.text });
        return [];
      }
      if (/^[+-]?(?:nan|inf|infinity)$/i.test(parsed.value)) {
        leaveOut('samples that are not finite numbers');
        return [];
      }
      return [jsonOf(parsed, times, isDescribing ? families.firstWords(parsed.metric) : '')];
    },
  };
}

function jsonOf(sample: ExpositionSample, times: DialectTimes, words: string): string {
  const labels = sample.labels.map(([key, text]) => memberOf(key, text)).join(',');
  const head = `${memberOf('metric', sample.metric)},"labels":{${labels}}${words}`;
  return `{${head},"ts":${timeOf(sample, times)},"value":${numberOf(sample.value)}}`;
}

/** Prometheus uses milliseconds; OpenMetrics uses seconds, mostly with a fraction. */
function timeOf({ time }: ExpositionSample, { unit, at }: DialectTimes): bigint {
  if (time === null) return at;
  const isWhole = /^-?\d+$/.test(time);
  const from = isWhole && unitOfMagnitude(Number(time)) !== 's' ? 'ms' : 's';
  const ts = parseDecimalTime(time, { from, to: unit });
  if (ts === null) throw new RowFault(`"${shortened(time)}" is not a time`);
  return ts;
}

interface Family {
  readonly type?: string;
  readonly help?: string;
  readonly unit?: string;
}

/** The suffixes of a histogram's and a summary's counters. */
const countingParts: ReadonlySet<string> = new Set(['_total', '_bucket', '_sum', '_count']);
const partForm = /_(?:total|bucket|sum|count)$/;

class Families {
  readonly #families = new Map<string, Family>();
  readonly #told = new Set<string>();

  note(name: string, words: Family): void {
    this.#families.set(name, { ...this.#families.get(name), ...words });
  }

  /** The descriptor of a metric as members of a line; empty if it was already sent. */
  firstWords(metric: string): string {
    if (this.#told.has(metric)) return '';
    this.#told.add(metric);
    const part = partForm.exec(metric)?.[0] ?? '';
    const own = this.#families.get(metric);
    const family = own ?? this.#families.get(metric.slice(0, metric.length - part.length));
    if (family === undefined) return '';
    const { unit = '', help = '' } = family;
    const kind = kindOf(family, own === undefined ? part : '');
    const members = Object.entries({ kind, unit, description: help });
    return members
      .flatMap(([name, text]) => (text === '' ? [] : [`,${memberOf(name, text)}`]))
      .join('');
  }
}

/** The kind of a metric named after its family plus this suffix; empty: unknown. */
function kindOf({ type = '' }: Family, part: string): string {
  if (type === 'gauge' || type === 'counter') return type;
  const isCounting = type === 'histogram' || type === 'summary';
  return isCounting && countingParts.has(part) ? 'counter' : '';
}
