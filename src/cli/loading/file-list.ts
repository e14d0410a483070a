/** The files of a load: those that were named, and those in directories that were. */

import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';

import { CommandFailure } from '../session/failure.js';
import { readReasonOf } from '../session/file-reason.js';

import { standardInputName } from './input.js';
import { loadFormatOfName } from './load-format.js';

/** Hears of a file that is passed over, and why. */
type SkipListener = (name: string, reason: string) => void;

/**
 * In the order of their names; of a directory, and all below it, those whose endings name a form.
 * `skipped` hears of the others. Throws CommandFailure where a directory has none.
 */
export function filesOf(names: readonly string[], skipped: SkipListener): readonly string[] {
  return names.flatMap((name) => (isDirectory(name) ? filesBelow(name, skipped) : [name]));
}

function isDirectory(name: string): boolean {
  if (name === standardInputName) return false;
  return statSync(name, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Also through a link, which may lead nowhere or in a circle. */
function isFile(name: string): boolean {
  try {
    return statSync(name).isFile();
  } catch {
    return false;
  }
}

function filesBelow(directory: string, skipped: SkipListener): readonly string[] {
  const found = entriesOf(directory).filter((name) => {
    const isNamed = loadFormatOfName(name) !== null;
    if (isNamed && isFile(name)) return true;
    // The state of a load is no part of it.
    if (name.endsWith('.seriesdb-resume')) return false;
    skipped(name, isFile(name) ? 'its ending names no form' : 'it leads to no file');
    return false;
  });
  if (found.length > 0) return found;
  throw new CommandFailure(
    `${directory} is a directory in which no file's ending names a form, like .csv or .ndjson.gz`,
  );
}

function entriesOf(directory: string): readonly string[] {
  try {
    return readdirSync(directory, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() || entry.isSymbolicLink())
      .map((entry) => path.join(entry.parentPath, entry.name))
      .sort();
  } catch (error) {
    throw new CommandFailure(`cannot read ${directory}: ${readReasonOf(error)}`);
  }
}

/** A file's name without its folder and its endings: the metric of a table that names none. */
export function stemOf(name: string): string | null {
  if (name === standardInputName) return null;
  return path.basename(name).replace(/(?:\.[a-z]+)?(?:\.(?:gz|zst))?$/i, '') || null;
}

/** What tells each file from all others: its path below the folder that they share. */
export function distinctNames(names: readonly string[]): ReadonlyMap<string, string> {
  const paths = names.filter((name) => name !== standardInputName);
  const folders = paths.map((name) => path.dirname(path.resolve(name)).split(path.sep));
  const [first = []] = folders;
  const end = first.findIndex((part, at) => folders.some((folder) => folder[at] !== part));
  const shared = first.slice(0, end < 0 ? first.length : end).join(path.sep) || path.sep;
  return new Map(
    paths.map((name) => {
      const below = path.relative(shared, path.resolve(name));
      return [name, path.join(path.dirname(below), stemOf(name) ?? '')];
    }),
  );
}
