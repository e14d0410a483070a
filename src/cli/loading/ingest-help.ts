/** What `seriesdb help ingest` tells of the forms that it takes. */

import { lineFields } from '../../model/ingest-line.js';

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
Forms, each plain, .gz or .zst; guessed by a file's ending or its first lines, and told:
  ndjson      one JSON object a line, as POST /api/v1/ingest takes it:
                {"metric":"room.temperature","labels":{"room":"b"},"ts":1700000000000,"value":21.5}
  csv         a line of names, then rows; --time, --value, --metric and --labels name columns:
                timestamp,value
                2014-07-01 00:00:00,10844
              A column "value" is the metric that the file is called, or --metric; of several
              columns of numbers each is a metric, FILE.COLUMN. Columns of texts are labels.
              A column of mostly numbers is one of values: NaN, n/a, -, null and what --null
              names are missing ones. Decimal commas, thousands in groups and dates such as
              28.11.2026 01:00 are known by the first rows; --dry-run shows what is guessed.
  influx      line protocol; a field is the metric MEASUREMENT.FIELD, "value" MEASUREMENT itself:
                weather,city=bern temperature=21.5,humidity=60i 1700000000000000000
  prometheus  the text format, or OpenMetrics; names and labels stay as they are:
                http_requests_total{method="get"} 1027 1700000000000
  parquet     a table, its columns taken as those of csv
Fields of a line of ndjson; others are ignored:
${fieldRows()}
${loadEnds}`;
