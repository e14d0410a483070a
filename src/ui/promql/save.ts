/** Saves the answer of an expression as a file: every series, however many there are. */

import { saveFile } from '../data/download.js';
import { csvOfAnswer } from './answer-csv.js';
import { timesOf, type PagePromqlQuestion } from './question.js';

import type { PromqlAnswer } from '../../client/client.js';

export const saveForms = [
  ['csv', 'CSV, one row per value'],
  ['json', 'JSON of the API'],
] as const;
export type SaveForm = (typeof saveForms)[number][0];

export function saveAnswer(question: PagePromqlQuestion, form: SaveForm): Promise<void> {
  const { query } = question;
  const times = timesOf(question);
  const isCsv = form === 'csv';
  return saveFile({
    ...{ name: `promql.${form}`, type: isCsv ? 'text/csv' : 'application/json' },
    piecesOf: (client, signal) =>
      isCsv
        ? csvPieces(client.promql(query, times, { signal }))
        : client.streamPromql(query, times, { signal }),
  });
}

async function* csvPieces(asked: Promise<PromqlAnswer>): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(csvOfAnswer(await asked));
}
