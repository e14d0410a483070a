/** The files of a load: named ones, and those in named directories. */

import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';

import { CommandFailure } from '../session/failure.js';
import { readReasonOf } from '../session/file-reason.js';

import { loadFormatOfName } from './load-format.js';

export const standardInputName = '-';

export function shownName(name: string): string {
  return name === standardInputName ? 'standard input' : name;
}

/** Called for a skipped file with the reason. */
type SkipListener = (name: string, reason: string) => void;

/**
 * The files of a load, sorted by name. A directory contributes the files below it with a known
 * extension; `skipped` gets its other files. Throws CommandFailure if a directory has no such file.
 */
export function filesOf(names: readonly string[], skipped: SkipListener): readonly string[] {
  return names.flatMap((name) => (isDirectory(name) ? filesBelow(name, skipped) : [name]));
}

function isDirectory(name: string): boolean {
  if (name === standardInputName) return false;
  return statSync(name, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Follows links; false for a dangling or circular link. */
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
    // The state file of a load is not an input.
    if (name.endsWith('.seriesdb-resume')) return false;
    skipped(name, isFile(name) ? 'its extension is not a known format' : 'the link has no target');
    return false;
  });
  if (found.length > 0) return found;
  throw new CommandFailure(
    `${directory} is a directory without a file of a known extension, like .csv or .ndjson.gz`,
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

/** The file name without folder and extensions: the default metric of a table. */
export function stemOf(name: string): string | null {
  if (name === standardInputName) return null;
  return path.basename(name).replace(/(?:\.[a-z]+)?(?:\.(?:gz|zst))?$/i, '') || null;
}

/** Distinguishes each file: its path below the common folder. */
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
