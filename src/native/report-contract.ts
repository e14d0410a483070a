/** What the addon is asked about the files of a database, and what becomes of them. */

import type { NativeName } from './names.js';

/** Every file of the open database read completely; native/care/verification.h has the lines. */
export interface NativeVerification {
  readonly answer: 'verification';
}

/** What the files of a directory say that no process has open. */
export interface NativeReportRequest {
  readonly directory: string;
  readonly report: NativeName<'reports'>;
  /** Only this segment, or this file of the log; null = all. */
  readonly number: bigint | null;
}

/** What a compaction came to: the segments and their bytes before and after it. */
export interface NativeCompaction {
  readonly segmentsBefore: number;
  readonly segmentsAfter: number;
  readonly bytesBefore: number;
  readonly bytesAfter: number;
}

/** What a migration came to; native/engine/migration.h has the words. */
export interface NativeMigration {
  readonly segments: number;
  readonly bytes: number;
  readonly tags: number;
  readonly left: number;
}
