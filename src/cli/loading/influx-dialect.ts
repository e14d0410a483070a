/**
 * Translates line protocol to lines of JSON. A field becomes the metric `measurement.field`; the
 * field `value` becomes the metric `measurement`. Tags become labels.
 */

import { convertTime, type TimestampUnit } from '../../common/model/timestamp-unit.js';

import { closesQuote, parseInfluxLine, type InfluxPoint } from './influx-line.js';
import { memberOf } from '../../common/tables/row-lines.js';

import type { Dialect } from './translated-input.js';

export interface DialectTimes {
  /** The database's timestamp unit. */
  readonly unit: TimestampUnit;
  /** The time of samples without one, in the database's unit. */
  readonly at: bigint;
}

/** `precision` is the unit of the text's times. */
export function influxDialect({ unit, at }: DialectTimes, precision: TimestampUnit): Dialect {
  return {
    closes: closesQuote,
    translate: (line, leaveOut) => {
      const point = parseInfluxLine(line);
      if (point === 'open') return null;
      if (point === null) return [];
      const ts = point.time === null ? at : convertTime(point.time, precision, unit);
      const values = valuesOf(point, leaveOut);
      return values === '' ? [] : [`{${headOf(point)},"ts":${ts}${values}}`];
    },
  };
}

function headOf({ measurement, tags }: InfluxPoint): string {
  const labels = tags.map(([key, text]) => memberOf(key, text)).join(',');
  return `${memberOf('metric', measurement)},"labels":{${labels}}`;
}

/** Empty if no field is a number. The last of duplicate fields counts. */
function valuesOf({ fields }: InfluxPoint, leaveOut: (what: string) => void): string {
  const numbers = new Map<string, string>();
  for (const [key, number] of fields) {
    if (number === null) leaveOut('fields that are not numbers');
    else numbers.set(key, number);
  }
  const own = numbers.get('value');
  numbers.delete('value');
  const others = [...numbers].map(([key, number]) => `${JSON.stringify(key)}:${number}`);
  const value = own === undefined ? '' : `,"value":${own}`;
  return others.length === 0 ? value : `${value},"fields":{${others.join(',')}}`;
}
