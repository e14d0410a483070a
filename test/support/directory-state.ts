/** The state of a directory, to detect any change by a command. */
import { createHash } from 'node:crypto';
import { cpSync, lstatSync, readFileSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';

/** Content and modification time of each file and folder. */
export function stateOf(directory: string): readonly string[] {
  return readdirSync(directory, { withFileTypes: true, recursive: true })
    .map((entry) => {
      const file = path.join(entry.parentPath, entry.name);
      const { mtimeNs, ctimeNs, size } = statSync(file, { bigint: true });
      const hash = createHash('sha256').update(entry.isFile() ? readFileSync(file) : '');
      return [file, mtimeNs, ctimeNs, size, hash.digest('hex')].join(' ');
    })
    .sort();
}

/** Files and folders of a data directory; the socket of a killed server cannot be copied. */
export function copyDirectory(from: string, to: string): void {
  cpSync(from, to, { recursive: true, filter: (file) => !lstatSync(file).isSocket() });
}
