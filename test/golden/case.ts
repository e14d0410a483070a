/** What a case is: what is done to a whole directory, and what opening it must come to. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { copyDirectory } from '../support/directory-state.js';

import type { Outcome, Refused } from './outcome.js';

/** What the maker has besides the directory. */
export interface Others {
  /** MANIFEST as it was after the first flush. */
  readonly earlierManifest: Buffer;
  /** The directory of another database. */
  readonly foreign: string;
  /** The directory of one that was compacted while samples of `a` were kept for 30 days. */
  readonly retained: string;
  /** The directory of one whose segments were merged for good. */
  readonly merged: string;
  /** A backup of the directory. */
  readonly backup: string;
  /** The directory of one whose index was made anew without series that are gone. */
  readonly renewed: string;
  /** What a backup of that was restored to. */
  readonly restored: string;
  /** The directory of one whose notes were changed and deleted. */
  readonly noted: string;
  /** The directory of one that remote_write brought stale markers and other NaNs. */
  readonly special: string;
}

export interface GoldenCase {
  readonly name: string;
  /** The first format that has what is damaged. */
  readonly since?: number;
  damage(directory: string, others: Others): void;
  outcome(format: number): Outcome;
  /** Opened from the head commit, where that is something else. */
  readonly fromCommit?: Outcome;
}

export function change(directory: string, file: string, edit: (bytes: Buffer) => Buffer): void {
  const path = join(directory, file);
  writeFileSync(path, edit(readFileSync(path)));
}

export function refused(...says: readonly string[]): Refused {
  return { opens: false, code: 'storage_corrupt', says };
}

export type Damage = GoldenCase['damage'];

export function always(name: string, outcome: Outcome, damage: Damage): GoldenCase {
  return { name, damage, outcome: () => outcome };
}

export function edit(file: string, editor: (bytes: Buffer) => Buffer): Damage {
  return (directory) => {
    change(directory, file, editor);
  };
}

/** The lock and the reserve are of the process that ran. */
export function copyData(from: string, to: string): void {
  copyDirectory(from, to);
  for (const name of ['LOCK', 'RESERVE']) rmSync(join(to, name), { force: true });
}

export function replaceBy(other: string, directory: string): void {
  rmSync(directory, { recursive: true });
  copyData(other, directory);
}

/** Another directory, of which there are some since a format. */
type Copied = Exclude<keyof Others, 'earlierManifest'>;
export function replaced(name: Copied, outcome: Outcome, since: number): GoldenCase {
  const damage: Damage = (directory, others) => {
    replaceBy(others[name], directory);
  };
  return { ...always(name, outcome, damage), since };
}

export const remove =
  (file: string): Damage =>
  (directory) => {
    rmSync(join(directory, file));
  };
