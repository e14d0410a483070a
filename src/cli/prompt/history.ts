/** The history of statements, one line each, for the arrow keys and in a file. */

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

/** The path of the history file; null if the environment names no user directory. */
export function historyFile(
  environment: Readonly<Record<string, string | undefined>>,
): string | null {
  return userFile(environment, 'state', 'history');
}

export class PromptHistory {
  /** Newest first, as readline expects. */
  #entries: readonly string[];
  readonly #file: string | null;
  /** The list behind the arrow keys; readline adds every line to it. */
  #lines: string[] | null = null;

  /** Without a file, the history lasts as long as the prompt. */
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

/** Drops comments, because one would hide the text behind it. Null if a string spans two lines. */
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

/** Newest first. Cuts a file with twice as many lines as wanted. */
function readEntries(file: string): readonly string[] {
  try {
    const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
    const wanted = lines.slice(-historyMax);
    if (lines.length >= 2 * historyMax) rewrite(file, wanted);
    return wanted.reverse();
  } catch {
    // The file is missing or unreadable: the history is empty, and the prompt works.
    return [];
  }
}

function rewrite(file: string, lines: readonly string[]): void {
  const beside = `${file}.${process.pid}.tmp`;
  writeFileSync(beside, lines.map((line) => `${line}\n`).join(''), { mode: 0o600 });
  renameSync(beside, file);
}

/** Only the owner may read the file: statements contain names of the database. */
function remember(file: string, line: string): void {
  try {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    appendFileSync(file, `${line}\n`, { mode: 0o600 });
    chmodSync(file, 0o600);
  } catch {
    // If the folder is not writable, the prompt works without a history file.
  }
}
