/** Selects the part of a database to inspect. */

import { AppError } from '../common/errors/app-error.js';

import type { Inspected } from '../storage/storage.js';

export type InspectedPart = Inspected['report'];
export type InspectionRequest = Inspected;

/** The parts that `inspect` shows; the first is the default. */
export const inspectedParts = [
  'manifest',
  'segments',
  'chunks',
  'wal',
  'refs',
  'history',
] as const satisfies readonly InspectedPart[];

const numberedParts: readonly InspectedPart[] = ['segments', 'chunks', 'wal'];

/** The largest number on disk. */
const kNumberMax = (1n << 63n) - 1n;

/** Throws `invalid_number`; null means all. */
export function checkedInspection(part: InspectedPart, number: bigint | null): InspectionRequest {
  if (number === null) return { report: part, number };
  if (!numberedParts.includes(part)) {
    const parts = numberedParts.join(', ');
    throw new AppError('invalid_number', `number is for ${parts}, not for ${part}`);
  }
  if (number > kNumberMax) {
    throw new AppError('invalid_number', 'number must be the number of a segment or of a WAL file');
  }
  return { report: part, number };
}
