/** Exports the samples of many series. */

import { AppError } from '../../common/errors/app-error.js';
import { kFirstTime, kLastTime } from '../../common/model/timestamp-unit.js';
import { exportFormats } from '../../operations/export-form.js';
import { parseSelectors } from '../../operations/prometheus-text.js';
import { contentTypes } from '../../operations/query.js';

import * as json from '../fields/json-schema.js';
import { rangeOf } from '../fields/moment.js';
import { defaultsTo, parameter, querySchema } from '../fields/query-schema.js';
import { asOfErrors, asOfParameter, asOfReply } from './as-of.js';
import { publicRoute } from './public-route.js';

const exportedLine = json.named(
  'ExportedLine',
  json.object(
    {
      ...{ kind: json.metricKind, unit: json.text, description: json.text },
      ...{ metric: json.text, labels: json.textMap, ts: json.i64, value: json.number },
    },
    ['kind', 'unit', 'description'],
  ),
);

// A misspelt filter would export everything.
const exportQuery = querySchema(
  {
    metric: parameter.text(
      'One metric; takes precedence over `prefix`. Without either: all metrics.',
    ),
    prefix: parameter.text('Prefix of the metric names.'),
    labels: parameter.labels('Labels of the series: the text of a JSON object.'),
    'match[]': parameter.texts(
      'PromQL selectors; a series must also match at least one: `up{job=~"a.*"}`.',
    ),
    start: parameter.moment(
      'First timestamp, also as text: ISO 8601 or `now-1h`, in UTC; default: the beginning.',
    ),
    end: parameter.moment('Last timestamp; default: the end.'),
    format: defaultsTo(
      parameter.choice(
        exportFormats,
        'Lines as /api/v1/ingest accepts them, or CSV rows with a header.',
      ),
      'ndjson',
    ),
    totals: parameter.flag(
      'True: the last line has the numbers of written and omitted samples, `{"samples":2,"left_out":0}`; not for CSV.',
    ),
    as_of: asOfParameter,
  },
  { refusesUnknown: true },
);

export const exportSamples = publicRoute({
  method: 'GET',
  path: '/api/v1/export',
  scope: 'read',
  tag: 'read',
  summary: 'The samples of many series as lines or as CSV, in a form that ingest accepts.',
  query: exportQuery,
  answer: {
    purpose:
      'The samples, sorted by metric, series and time; values that are not finite are omitted.',
    mediaType: contentTypes.ndjson,
    schema: exportedLine,
    otherMediaTypes: ['text/csv'],
  },
  limits: ['memory_limit_bytes'],
  errors: ['invalid_time_range', 'parse_failed', 'validation_failed', ...asOfErrors],
  example: {
    query: { metric: 'cpu.load', start: '0' },
    answer:
      '{"metric":"cpu.load","labels":{"host":"a"},"ts":1700000000000,"value":0.5}\n' +
      '{"metric":"cpu.load","labels":{"host":"a"},"ts":1700000060000,"value":0.25}\n',
  },
  handler: ({ query }, { operations }) => {
    const { metric, prefix, labels, format, start = kFirstTime, end = kLastTime } = query;
    const { totals: hasTotals, as_of: asOf } = query;
    if (hasTotals && format !== 'ndjson') {
      throw new AppError('invalid_flag', 'totals=true needs the format ndjson');
    }
    const unit = operations.timestampUnit;
    const range = rangeOf(start, end, unit);
    const selectors = parseSelectors(query['match[]']);
    const asked = { metric, prefix, labels, selectors, format, range, hasTotals };
    return asOfReply(operations, asOf, () => ({
      ...{ status: 200, contentType: contentTypes[format] },
      body: operations.export(asked, asOf),
    }));
  },
});
