/** The formats in `seriesdb help ingest`. */

import { lineFields } from '../../common/model/ingest-line.js';

import { loadEnds } from './load-command.js';

const plain = (text: string): string => text.replaceAll('`', '');

function fieldRows(): string {
  return lineFields
    .map(({ name, type, required, meaning }) => {
      const about = [type, required === 'yes' ? 'required' : required].filter((one) => one !== '');
      return `    ${name.padEnd(13)}${plain(meaning)} (${about.join('; ')})`;
    })
    .join('\n');
}

export const ingestHelp = `
Formats, each plain, .gz or .zst; guessed by a file's extension or first lines, and printed:
  ndjson      one JSON object per line, as POST /api/v1/ingest accepts it:
                {"metric":"room.temperature","labels":{"room":"b"},"ts":1700000000000,"value":21.5}
  csv         a header line, then rows; --time, --value, --metric and --labels name columns:
                timestamp,value
                2014-07-01 00:00:00,10844
              A column "value" is the metric with the file's name, or --metric. With several
              numeric columns each is a metric, FILE.COLUMN. Text columns are labels.
              A column of mostly numbers is a value column: NaN, n/a, -, null and each --null
              are missing values. Decimal commas, grouped thousands and dates such as
              28.11.2026 01:00 are detected in the first rows; --dry-run prints the guess.
  influx      line protocol; a field is the metric MEASUREMENT.FIELD, "value" MEASUREMENT itself:
                weather,city=bern temperature=21.5,humidity=60i 1700000000000000000
  prometheus  the text format, or OpenMetrics; names and labels are unchanged:
                http_requests_total{method="get"} 1027 1700000000000
  parquet     a table with columns as in csv
Fields of a line of ndjson; others are ignored:
${fieldRows()}
${loadEnds}`;
