/** The result of a backup, from the last line of its report. */

import { AppError } from '../common/errors/app-error.js';

import type { LinePieces } from '../operations/maintenance.js';

export interface BackupReport {
  /** `damaged`: files of the database are damaged; the backup lacks them, or was not published. */
  readonly status: 'ok' | 'damaged';
  readonly files: number;
  readonly bytes: number;
  readonly present: number;
  readonly removed: number;
  readonly damaged: number;
  /** Of an object store. */
  readonly entry?: number;
}

/** Reads all lines. Rejects as the backup does. */
export async function reportOf(pieces: LinePieces): Promise<BackupReport> {
  const decoder = new TextDecoder();
  let last = '';
  for (let piece = await pieces.next(); piece !== null; piece = await pieces.next()) {
    last += decoder.decode(piece, { stream: true });
    last = last.slice(last.lastIndexOf('\n', last.length - 2) + 1);
  }
  const line = last === '' ? {} : (JSON.parse(last) as Readonly<Record<string, unknown>>);
  if (line['kind'] !== 'end') throw new AppError('closed', 'the backup ended before it was done');
  const count = (name: string): number => Number(line[name] ?? 0);
  return {
    status: line['status'] === 'ok' ? 'ok' : 'damaged',
    files: count('files'),
    bytes: count('bytes'),
    present: count('present'),
    removed: count('removed'),
    damaged: count('damaged'),
    ...(line['entry'] === undefined ? {} : { entry: count('entry') }),
  };
}
