/** Which of its files a database is to tell of. */

import { AppError } from '../errors/app-error.js';

import type { Inspected } from '../storage/storage.js';

export type InspectedPart = Inspected['report'];
export type InspectionRequest = Inspected;

/** What `inspect` tells of; the first where nothing is said. */
export const inspectedParts = [
  'manifest',
  'segments',
  'chunks',
  'wal',
  'refs',
  'history',
] as const satisfies readonly InspectedPart[];

const numberedParts: readonly InspectedPart[] = ['segments', 'chunks', 'wal'];

/** No number on disk is higher. */
const kNumberMax = (1n << 63n) - 1n;

/** Throws `invalid_number`; null is all. */
export function checkedInspection(part: InspectedPart, number: bigint | null): InspectionRequest {
  if (number === null) return { report: part, number };
  if (!numberedParts.includes(part)) {
    const parts = numberedParts.join(', ');
    throw new AppError('invalid_number', `number goes with ${parts}, not with ${part}`);
  }
  if (number > kNumberMax) {
    throw new AppError('invalid_number', 'number must be that of a segment or of a log file');
  }
  return { report: part, number };
}
