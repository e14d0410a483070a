/** Runs the SeriesQL statements of a file or a pipe in order. */

import { readFileSync } from 'node:fs';

import { clientCodes, SeriesDbError } from '../../client/client.js';
import { findStatements } from '../../query/seriesql/language/statements.js';
import { CommandFailure, exitCodes, sentenceOf, UsageFailure } from '../session/failure.js';
import { readReasonOf } from '../session/file-reason.js';

import { showAnswer } from './answer.js';

import type { ClientContext } from '../session/client-context.js';
import type { TextSource } from '../session/source.js';
import type { Terminal } from '../session/terminal.js';
import type { QueryForm } from './query-form.js';

export interface Script {
  /** The name in error positions; null for a statement of the command line. */
  readonly name: string | null;
  readonly text: string;
}

interface ScriptManner {
  readonly form: QueryForm;
  /** True: an error of one statement does not stop the others. */
  readonly isKeptGoing: boolean;
}

/** Rejects with CommandFailure. */
export async function scriptOf(
  terminal: Terminal,
  { statement, file }: TextSource,
): Promise<Script> {
  if (statement === undefined) return readScript(terminal, file ?? '-');
  if (file === undefined) return { name: null, text: statement };
  throw new UsageFailure('give either a statement or a --file of them');
}

/** `-` is the standard input. Rejects with CommandFailure. */
async function readScript(terminal: Terminal, file: string): Promise<Script> {
  if (file === '-') return { name: 'standard input', text: await readInput(terminal) };
  try {
    return { name: file, text: readFileSync(file, 'utf8') };
  } catch (error) {
    throw new CommandFailure(`--file: cannot read ${file}: ${readReasonOf(error)}`);
  }
}

async function readInput(terminal: Terminal): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of terminal.standardInput()) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks).toString('utf8');
}

/**
 * Resolves with the exit code. Rejects with the first error and its position, unless `isKeptGoing`.
 */
export async function runScript(
  context: ClientContext,
  script: Script,
  { form, isKeptGoing }: ScriptManner,
): Promise<number> {
  const { terminal } = context;
  const starts = startsIn(script);
  let failed = 0;
  for (const [at, { start, text }] of starts.entries()) {
    if (at > 0 && form.format === 'table') terminal.write('\n');
    try {
      await showAnswer(context, text, form);
    } catch (error) {
      const failure = placed(error, { script, start, url: context.url });
      if (!isKeptGoing || !(failure instanceof CommandFailure)) throw failure;
      context.signal.throwIfAborted();
      failed += 1;
      await terminal.drained();
      terminal.complain(`seriesdb: ${failure.message}\n`);
    }
  }
  if (failed > 0) terminal.note(`${failed} of ${starts.length} statements failed\n`);
  return failed > 0 ? exitCodes.failed : exitCodes.ok;
}

interface Start {
  readonly start: number;
  readonly text: string;
}

function startsIn({ name, text }: Script): readonly Start[] {
  const { ended, begun } = findStatements(text);
  const spans = begun === null ? ended : [...ended, begun];
  if (name !== null && spans.length === 0) {
    throw new CommandFailure(`${name} has no statement to run`);
  }
  // A single statement of the command line is sent unchanged, so that error positions match its
  // text.
  if (name === null && spans.length <= 1) return [{ start: 0, text }];
  return spans.map(({ start, end }) => ({ start, text: text.slice(start, end) }));
}

interface Where {
  readonly script: Script;
  readonly start: number;
  readonly url: string;
}

/** Codes of errors that no statement caused: the next statement would fail too. */
const ofServer: ReadonlySet<string> = new Set([...Object.values(clientCodes), 'unauthorized']);

/** Adds the position in the script to an error of a statement. */
export function placed(error: unknown, { script, start, url }: Where): unknown {
  if (!(error instanceof SeriesDbError) || ofServer.has(error.code)) return error;
  if (script.name === null && start === 0) return error;
  const lines = script.text.slice(0, start).split('\n');
  const before = Array.from(lines.at(-1) ?? '').length;
  const sentence = sentenceOf(error, url);
  const name = script.name === null ? '' : `${script.name}:`;
  const moved = sentence.replace(
    /^line (\d+), column (\d+): /gm,
    (_, line: string, column: string) => {
      const shift = line === '1' ? before : 0;
      const at = [lines.length - 1 + Number(line), Number(column) + shift] as const;
      return name === '' ? `line ${at[0]}, column ${at[1]}: ` : `${name}${at[0]}:${at[1]}: `;
    },
  );
  if (moved !== sentence) return new CommandFailure(moved);
  const place = name === '' ? `line ${lines.length}: ` : `${name}${lines.length}:${before + 1}: `;
  return new CommandFailure(place + sentence);
}
