/** `seriesdb query`: one statement of SeriesQL, or a text from a pipe. */

import { exitCodes } from '../session/failure.js';

import { showAnswer } from './answer.js';

import type { ClientContext } from '../session/client-context.js';
import type { QueryForm } from './query-form.js';

/** Without a text the standard input is read. */
export async function runQuery(
  context: ClientContext,
  text: string | undefined,
  form: QueryForm,
): Promise<number> {
  await showAnswer(context, text ?? (await readInput(context)), form);
  return exitCodes.ok;
}

async function readInput({ terminal }: ClientContext): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of terminal.standardInput()) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks).toString('utf8');
}
