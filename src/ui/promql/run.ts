/** Runs a PromQL expression. */

import { signal } from '@preact/signals';

import { promqlHistory } from '../ask/asked.js';
import { attempt } from '../ask/run.js';
import { ask } from '../data/server.js';
import { countedAnswer, readAnswer, type PromqlView } from './answer.js';
import { noSteps, timesOf, type PagePromqlQuestion } from './question.js';

/** The most series that are requested. */
const kSeriesMax = 10_000;

export interface RanPromql extends PromqlView {
  readonly question: PagePromqlQuestion;
  readonly tookMs: number;
}

/** Outlives the page Ask. */
export const ran = signal<RanPromql | null>(null);

/** A null question is reported as an error. */
export function run(written: string, question: PagePromqlQuestion | null): Promise<void> {
  const sent = { text: written, writtenAt: (offset: number) => offset };
  return attempt(
    { written, sent },
    {
      read: async (signal) => {
        if (question === null) throw Error(noSteps);
        return { question, answer: await asked(question, signal) };
      },
      keep: ({ question: of, answer }, tookMs) => {
        ran.value = { ...answer, question: of, tookMs };
        const { length: rows } = answer.table.rows;
        const ms = Math.round(tookMs);
        promqlHistory.remember({ text: written, atMs: Date.now(), rows, ms });
        return countedAnswer(answer);
      },
    },
  );
}

export async function asked(
  question: PagePromqlQuestion,
  signal: AbortSignal,
): Promise<PromqlView> {
  const wishes = { limit: kSeriesMax, signal };
  const times = timesOf(question);
  return readAnswer(await ask((client) => client.promql(question.query, times, wishes)));
}
