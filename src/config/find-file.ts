/** Where the settings file is looked for when nobody names one. */

import { statSync } from 'node:fs';
import path from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

const fileName = 'seriesdb.toml';

/** In words, for the documents and the help. */
export const searchedFiles = [
  `./${fileName}`,
  `$XDG_CONFIG_HOME/seriesdb/${fileName}`,
  `/etc/seriesdb/${fileName}`,
] as const;

/** The first file that is there; null where none is. One that cannot be read is there. */
export function findSettingsFile(environment: Environment): string | null {
  return placesOf(environment).find(isThere) ?? null;
}

function placesOf({ XDG_CONFIG_HOME: own = '', HOME: home = '' }: Environment): readonly string[] {
  // As the specification of these directories says: a relative one counts as not set.
  const base = path.isAbsolute(own) ? own : home === '' ? '' : path.join(home, '.config');
  const ofUser = base === '' ? [] : [path.join(base, 'seriesdb', fileName)];
  return [fileName, ...ofUser, path.join('/etc/seriesdb', fileName)];
}

function isThere(file: string): boolean {
  try {
    statSync(file);
    return true;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    return code !== 'ENOENT' && code !== 'ENOTDIR';
  }
}
