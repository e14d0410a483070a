/** The backups that a server makes by its schedule, for `/status` and `/metrics`. */

/** `damaged`: files of the database are damaged, and the backup does not have them. */
export type BackupOutcome = 'ok' | 'damaged' | 'failed';

/** Since the start of the process. */
export interface BackupFacts {
  /** `s3://BUCKET/PREFIX`, or a directory. */
  readonly to: string;
  readonly everySeconds: number;
  readonly counts: Readonly<Record<BackupOutcome, number>>;
  /** When the last good one ended; null before the first. */
  readonly lastSuccess: Date | null;
  /** Since then. */
  readonly ageSeconds: number | null;
  /** Duration of the last one, however it ended. */
  readonly lastSeconds: number | null;
  readonly lastOutcome: BackupOutcome | null;
  /** Why the last one failed; null if it did not. */
  readonly lastFailure: string | null;
  readonly isRunning: boolean;
}

export interface BackupStatus {
  readonly to: string;
  readonly every_seconds: number;
  readonly running: boolean;
  /** ISO 8601; absent before the first success. */
  readonly last_success?: string;
  readonly last_outcome?: BackupOutcome;
  /** Absent unless the last one failed. */
  readonly last_failure?: string;
}

export function backupStatus(facts: BackupFacts): BackupStatus {
  const { lastSuccess, lastOutcome, lastFailure } = facts;
  return {
    to: facts.to,
    every_seconds: facts.everySeconds,
    running: facts.isRunning,
    ...(lastSuccess === null ? {} : { last_success: lastSuccess.toISOString() }),
    ...(lastOutcome === null ? {} : { last_outcome: lastOutcome }),
    ...(lastFailure === null ? {} : { last_failure: lastFailure }),
  };
}
