/** The statements of earlier days, each on one line, for the arrow keys and in a file. */

import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';

import { userFile } from '../../common/model/user-folder.js';
import { skim } from '../../query/seriesql/language/lexer.js';

export const historyMax = 1000;

/** Where it is kept; null where nobody says whose it is. */
export function historyFile(
  environment: Readonly<Record<string, string | undefined>>,
): string | null {
  return userFile(environment, 'state', 'history');
}

export class History {
  /** The newest first, as readline wants it. */
  #entries: readonly string[];
  readonly #file: string | null;
  /** What the arrow keys walk through; readline adds every line to it. */
  #lines: string[] | null = null;

  /** Without a file it lasts as long as the prompt. */
  constructor(file: string | null) {
    this.#file = file;
    this.#entries = file === null ? [] : readEntries(file);
  }

  get entries(): readonly string[] {
    return this.#entries;
  }

  follow(lines: string[]): void {
    this.#lines = lines;
  }

  add(entry: string): void {
    const line = onOneLine(entry);
    const isNew = line !== null && line !== this.#entries[0];
    if (isNew) this.#entries = [line, ...this.#entries].slice(0, historyMax);
    this.#lines?.splice(0, this.#lines.length, ...this.#entries);
    if (isNew && this.#file !== null) remember(this.#file, line);
  }
}

/** Comments go, since one would hide what follows it; null where a text itself has two lines. */
function onOneLine(entry: string): string | null {
  if (!entry.includes('\n')) return entry;
  const { tokens } = skim(entry);
  const parts: string[] = [];
  let at = 0;
  for (const { start, end } of tokens) {
    const gap = entry.slice(at, start);
    parts.push(/\n|--|\/\*/.test(gap) ? ' ' : gap, entry.slice(start, end));
    at = end;
  }
  const line = parts.join('').trim();
  return line.includes('\n') ? null : line;
}

/** The newest first. A file that has grown to twice what is wanted is cut. */
function readEntries(file: string): readonly string[] {
  try {
    const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
    const wanted = lines.slice(-historyMax);
    if (lines.length >= 2 * historyMax) rewrite(file, wanted);
    return wanted.reverse();
  } catch {
    // There is none yet, or it cannot be read: then nothing is remembered, and nothing else fails.
    return [];
  }
}

function rewrite(file: string, lines: readonly string[]): void {
  const beside = `${file}.${process.pid}.tmp`;
  writeFileSync(beside, lines.map((line) => `${line}\n`).join(''), { mode: 0o600 });
  renameSync(beside, file);
}

/** For its owner's eyes: statements name what a database holds. */
function remember(file: string, line: string): void {
  try {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    appendFileSync(file, `${line}\n`, { mode: 0o600 });
    chmodSync(file, 0o600);
  } catch {
    // A folder that cannot be written to keeps nobody from asking.
  }
}
