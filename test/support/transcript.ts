/**
 * Transcripts: plain text files of commands and what comes back, so that a user could read them.
 *
 *   command, on one or more lines
 *   ----
 *   the answer
 *
 * Blank lines stand between cases; lines that begin with `#` before a command are comments.
 * Commands are `load` with lines of series, `set unit|now …`, and anything else is a query.
 */

import { readFileSync, writeFileSync } from 'node:fs';

import { AppError } from '../../src/common/errors/app-error.js';
import { printJson } from '../../src/query/seriesql/result/format.js';

import type { OutputColumn } from '../../src/query/seriesql/plan/plan.js';
import type { InsertedSample } from '../../src/query/seriesql/execute/source.js';
import type { Value } from '../../src/query/values/value.js';

export interface LoadedSeries {
  readonly name: string;
  readonly labels: readonly (readonly [string, string])[];
  readonly isCounter: boolean;
  readonly samples: readonly InsertedSample[];
}

export interface QueryRows {
  readonly columns: readonly OutputColumn[];
  readonly rows: readonly (readonly Value[])[];
}

/** The target that runs a transcript; a new one for each file. */
export interface TranscriptTarget {
  load(series: LoadedSeries): Promise<void>;
  set(name: string, value: string): Promise<void>;
  /** Throws AppError if the query fails. */
  query(text: string): Promise<QueryRows>;
}

export interface TranscriptCase {
  readonly line: number;
  readonly comments: readonly string[];
  readonly command: string;
  readonly expected: string;
}

export function readTranscript(file: string): readonly TranscriptCase[] {
  const cases: TranscriptCase[] = [];
  let comments: string[] = [];
  let command: string[] = [];
  let expected: string[] | null = null;
  let line = 1;
  const finish = (): void => {
    if (expected !== null) {
      cases.push({ line, comments, command: command.join('\n'), expected: expected.join('\n') });
      comments = [];
    } else if (command.length > 0) throw new Error(`${file}:${line}: a command without ----`);
    command = [];
    expected = null;
  };
  for (const [at, text] of readFileSync(file, 'utf8').split('\n').entries()) {
    if (text === '') finish();
    else if (expected !== null) expected.push(text);
    else if (text === '----') expected = [];
    else if (command.length === 0 && text.startsWith('#')) comments.push(text);
    else {
      if (command.length === 0) line = at + 1;
      command.push(text);
    }
  }
  finish();
  return cases;
}

export function writeTranscript(file: string, cases: readonly TranscriptCase[]): void {
  const parts = cases.map(({ comments, command, expected }) => {
    const head = comments.length === 0 ? '' : `${comments.join('\n')}\n`;
    return `${head}${command}\n----\n${expected}${expected === '' ? '' : '\n'}`;
  });
  writeFileSync(file, parts.join('\n'));
}

/** The answer to a command, as written in the file. */
export async function play(command: string, target: TranscriptTarget): Promise<string> {
  const [first = '', ...rest] = command.split('\n');
  if (first === 'load') {
    for (const line of rest) await target.load(parseSeries(line));
    return '';
  }
  const setting = /^set (\w+) (.*)$/.exec(first);
  if (setting !== null) {
    await target.set(setting[1] ?? '', setting[2] ?? '');
    return '';
  }
  try {
    return printRows(await target.query(command));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return `${error.code} ${error.status}\n${error.message}`;
  }
}

function printRows({ columns, rows }: QueryRows): string {
  const head = columns.map(({ name, type, nullable }) => `${name} ${type}${nullable ? '?' : ''}`);
  const lines = rows.map((row) => row.map(printCell).join(' | '));
  return [head.join(' | '), ...lines].join('\n');
}

function printCell(value: Value): string {
  return typeof value === 'string' && /^[\w .:/{}",=<>()*+%-]+$/.test(value)
    ? value
    : printJson(value);
}

/** `[counter] name{key='value', …} time=value time=value …`; quoted names in double quotes. */
export function parseSeries(line: string): LoadedSeries {
  const form = /^(counter )?("[^"]*"|[\w.]+)(?:\{([^}]*)\})?((?: -?\d+=\S+)*)$/.exec(line.trim());
  if (form === null) throw new Error(`not a series: ${line}`);
  const [, counter, name = '', labels = '', samples = ''] = form;
  const pairs = [...labels.matchAll(/("[^"]*"|[\w]+)='([^']*)'/g)].map(
    ([, key = '', value = '']) => [key.replaceAll('"', ''), value] as const,
  );
  return {
    name: name.replaceAll('"', ''),
    labels: pairs,
    isCounter: counter !== undefined,
    samples: [...samples.matchAll(/(-?\d+)=(\S+)/g)].map(([, time = '', value = '']) => ({
      time: BigInt(time),
      value: Number(value),
    })),
  };
}
