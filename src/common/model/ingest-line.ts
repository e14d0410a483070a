/** The fields of an ingest line in JSON, as documents and help describe them. */

import type { DatabaseTime } from './timestamp-unit.js';

interface IngestField {
  readonly name: string;
  readonly type: string;
  /** When the field is required; empty if it is optional. */
  readonly required: string;
  readonly meaning: string;
}

export const lineFields: readonly IngestField[] = [
  {
    name: 'metric',
    type: 'text',
    required: 'this or series',
    meaning: 'Name of the metric, 1 to 255 bytes without control characters.',
  },
  {
    name: 'ts',
    type: 'integer or text',
    required: '',
    meaning:
      'Time of the sample: an integer in the unit of the database or of `precision`, or ISO 8601, in UTC without a zone. Without it the time of arrival; a line with `timestamp`, `time` or another name of a time instead is refused.',
  },
  {
    name: 'value',
    type: 'number',
    required: 'this or fields',
    meaning: 'Value of a sample of the metric.',
  },
  {
    name: 'fields',
    type: 'object of numbers',
    required: 'this or value',
    meaning: 'Each member is a sample of the metric `<metric>.<member>`.',
  },
  {
    name: 'labels',
    type: 'object of texts',
    required: '',
    meaning: 'Labels, at most 64; with the metric they identify the series. `tags` means the same.',
  },
  {
    name: 'kind',
    type: '"gauge" or "counter"',
    required: '',
    meaning:
      'Kind of the metric. Like `unit` and `description` it is written once: a different one is refused.',
  },
  { name: 'unit', type: 'text', required: '', meaning: 'Unit of the metric’s values.' },
  { name: 'description', type: 'text', required: '', meaning: 'Description of the metric.' },
  {
    name: 'series',
    type: 'text',
    required: 'this or metric',
    meaning: 'Older form of the name. Without `value` the first number of `fields` is the sample.',
  },
  {
    name: 'tags',
    type: 'object of texts',
    required: '',
    meaning: 'Older form: the labels of `series`. Of `labels` and `tags` a line has one.',
  },
];

/**
 * The format of line protocol whose metrics are named as in lines of JSON with `fields`, whatever
 * `influx_separator` is. `at` is the time of lines without one; undefined: the time of arrival.
 */
export function lineProtocolOf(at: DatabaseTime | undefined) {
  const format = { kind: 'influx', separator: '.', labels: [] } as const;
  return at === undefined ? format : { ...format, at };
}
