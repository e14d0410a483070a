/**
 * Stores the acknowledged position of each input, so that an interrupted load resumes from there.
 * The file is replaced after each acknowledgement. If it is lost or outdated, lines are sent again.
 * This changes no data, because the last write of a timestamp wins, and both are equal.
 */

import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

import { CommandFailure } from '../session/failure.js';
import { readReasonOf, systemCodeOf } from '../session/file-reason.js';

import type { InputBeginning } from './input.js';

export interface LoadProgress {
  /** The target server. */
  readonly url: string;
  readonly offset: number;
  readonly line: number;
  readonly ingested: number;
  readonly rejected: number;
  readonly beginning: InputBeginning;
  readonly isDone: boolean;
  /** Fields that were left out; other formats and older versions do not store it. */
  readonly leftOutFields?: number;
  /** The start of the load; older versions did not store it. */
  readonly begunMs?: number;
}

const formatVersion = 1;

/** The default name of a file's state file. */
export function automaticName(path: string): string {
  return `${path}.seriesdb-resume`;
}

export class ResumeFile {
  readonly path: string;
  readonly #inputs: Map<string, LoadProgress>;

  private constructor(path: string, inputs: Map<string, LoadProgress>) {
    this.path = path;
    this.#inputs = inputs;
  }

  /** Reads it, or starts an empty one. Throws if the file is something else. */
  static read(path: string): ResumeFile {
    let text: string;
    try {
      text = readFileSync(path, 'utf8');
    } catch (error) {
      if (systemCodeOf(error) === 'ENOENT') return new ResumeFile(path, new Map());
      throw new CommandFailure(`cannot read ${path}: ${readReasonOf(error)}`);
    }
    const inputs = readInputs(text);
    if (inputs === null) {
      throw new CommandFailure(`${path} is not a load state; name another file or remove it`);
    }
    return new ResumeFile(path, inputs);
  }

  progressOf(input: string, url: string): LoadProgress | null {
    const progress = this.#inputs.get(input);
    return progress?.url === url ? progress : null;
  }

  /** Throws if it cannot be written. */
  record(input: string, progress: LoadProgress): void {
    this.#inputs.set(input, progress);
    const inputs = Object.fromEntries(this.#inputs);
    const text = `${JSON.stringify({ version: formatVersion, inputs }, null, 2)}\n`;
    // A reader sees either the old text or the new text.
    writeFileSync(`${this.path}.new`, text);
    renameSync(`${this.path}.new`, this.path);
  }

  remove(): void {
    rmSync(this.path, { force: true });
  }
}

function readInputs(text: string): Map<string, LoadProgress> | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null || !('version' in value)) return null;
  if (value.version !== formatVersion || !('inputs' in value)) return null;
  const { inputs } = value;
  if (typeof inputs !== 'object' || inputs === null) return null;
  const entries = Object.entries(inputs as Record<string, unknown>);
  if (!entries.every((entry): entry is [string, LoadProgress] => isProgress(entry[1]))) return null;
  return new Map(entries);
}

function isProgress(value: unknown): value is LoadProgress {
  if (typeof value !== 'object' || value === null || !('beginning' in value)) return false;
  const { beginning } = value;
  const counts: readonly string[] = ['offset', 'line', 'ingested', 'rejected'];
  const members = value as Readonly<Record<string, unknown>>;
  return (
    typeof beginning === 'object' &&
    beginning !== null &&
    'size' in beginning &&
    Number.isSafeInteger(beginning.size) &&
    'sha256' in beginning &&
    typeof beginning.sha256 === 'string' &&
    typeof members['url'] === 'string' &&
    counts.every((name) => Number.isSafeInteger(members[name]) && Number(members[name]) >= 0)
  );
}
