/** The default places of the settings file. */

import { statSync } from 'node:fs';
import path from 'node:path';

import { userFile, type Environment } from '../common/model/user-folder.js';

const fileName = 'seriesdb.toml';

/** The places as text, for documents and help. */
export const searchedFiles = [
  `./${fileName}`,
  `$XDG_CONFIG_HOME/seriesdb/${fileName}`,
  `/etc/seriesdb/${fileName}`,
] as const;

/**
 * The first existing settings file; null if there is none. An unreadable file counts as existing. A
 * file in an inaccessible folder does not.
 */
export function findSettingsFile(environment: Environment): string | null {
  return placesOf(environment).find(isThere) ?? null;
}

function placesOf(environment: Environment): readonly string[] {
  const ofUser = userFile(environment, 'config', fileName);
  const ofAll = path.join('/etc/seriesdb', fileName);
  return ofUser === null ? [fileName, ofAll] : [fileName, ofUser, ofAll];
}

function isThere(file: string): boolean {
  try {
    statSync(file);
    return true;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    return code !== 'ENOENT' && code !== 'ENOTDIR' && code !== 'EACCES';
  }
}
