/** What commands and servers say alike of backups on an object store. */

import { AppError } from '../common/errors/app-error.js';

/** How many backups stay readable. */
export const kKeptBackups = 7;

/** `text` is of unfitness(). */
export const unfitForBackups = (url: string, text: string): string =>
  `${url} is not fit for backups: ${text}; "seriesdb bucket probe" tells more`;

/** Why the backup failed if another one claimed the bucket meanwhile, else null. */
export function overtakenBy(error: unknown, url: string): string | null {
  const isFenced = error instanceof AppError && error.message.startsWith('another owner claimed');
  return isFenced ? `another backup to ${url} began or ended meanwhile, and stands` : null;
}
