/** When backups are made, and how they ended. */

import { AppError } from '../common/errors/app-error.js';
import { thrownMessage } from '../common/errors/thrown-message.js';
import { kHourMs, kMinuteMs } from '../common/model/duration.js';

import type { BackupFacts, BackupOutcome } from '../telemetry/backup-status.js';
import type { Log } from '../telemetry/log.js';
import type { BackupReport } from './report.js';

interface ScheduleOptions {
  readonly to: string;
  /** The setting in force. */
  readonly everyMs: () => number;
  /** Makes a backup. Rejects with `closed` if it was cancelled. */
  readonly run: () => Promise<BackupReport>;
  readonly log: Log;
}

/** What the wait for the next backup depends on. */
type Since = 'start' | 'success' | 'failure';

/** A timer has at most 24 days. */
const kLongestWaitMs = kHourMs;

/**
 * The first backup is made a minute after the start, since nothing is known of earlier ones; then
 * one every `everyMs` from begin to begin. A failed one is tried again after a tenth of that.
 */
export function waitMs(since: Since, everyMs: number): number {
  if (since === 'success') return everyMs;
  const wanted = since === 'start' ? kMinuteMs : Math.max(kMinuteMs, everyMs / 10);
  return Math.min(wanted, everyMs);
}

export class BackupSchedule {
  readonly #options: ScheduleOptions;
  readonly #counts: Record<BackupOutcome, number> = { ok: 0, damaged: 0, failed: 0 };
  #since: Since = 'start';
  /** From where the wait counts. */
  #fromMs = performance.now();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | null = null;
  #isClosed = false;
  #lastOutcome: BackupOutcome | null = null;
  #lastFailure: string | null = null;
  #lastSeconds: number | null = null;
  #success: { readonly at: Date; readonly ms: number } | null = null;

  constructor(options: ScheduleOptions) {
    this.#options = options;
  }

  get facts(): BackupFacts {
    return {
      to: this.#options.to,
      everySeconds: this.#options.everyMs() / 1000,
      counts: this.#counts,
      lastSuccess: this.#success?.at ?? null,
      ageSeconds: this.#success === null ? null : (performance.now() - this.#success.ms) / 1000,
      lastSeconds: this.#lastSeconds,
      lastOutcome: this.#lastOutcome,
      lastFailure: this.#lastFailure,
      isRunning: this.#running !== null,
    };
  }

  /** Sets the timer, also after a change of `everyMs`. */
  arm(): void {
    clearTimeout(this.#timer);
    if (this.#isClosed || this.#running !== null) return;
    const due = this.#fromMs + waitMs(this.#since, this.#options.everyMs());
    const leftMs = Math.max(0, due - performance.now());
    this.#timer = setTimeout(
      () => {
        if (leftMs > kLongestWaitMs) this.arm();
        else this.#begin();
      },
      Math.min(leftMs, kLongestWaitMs),
    );
    // The server's sockets keep the process running.
    this.#timer.unref();
  }

  /** Resolves when no backup runs any more. The caller ends the one that runs. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  #begin(): void {
    this.#running = this.#run().finally(() => {
      this.#running = null;
      this.arm();
    });
  }

  async #run(): Promise<void> {
    const { to, log } = this.#options;
    const beganMs = performance.now();
    try {
      const report = await this.#options.run();
      this.#lastSeconds = (performance.now() - beganMs) / 1000;
      const { status, damaged, ...figures } = report;
      if (status === 'ok') {
        this.#succeed(beganMs);
        const seconds = Number(this.#lastSeconds.toFixed(3));
        log.write('info', 'a backup was made', { to, ...figures, seconds });
        return;
      }
      this.#fail('damaged', `${String(damaged)} files of the database are damaged`);
    } catch (error) {
      if (this.#isClosed && error instanceof AppError && error.code === 'closed') return;
      this.#lastSeconds = (performance.now() - beganMs) / 1000;
      this.#fail('failed', thrownMessage(error));
    }
  }

  #succeed(beganMs: number): void {
    this.#counts.ok += 1;
    this.#lastOutcome = 'ok';
    this.#lastFailure = null;
    this.#success = { at: new Date(), ms: performance.now() };
    this.#since = 'success';
    this.#fromMs = beganMs;
  }

  #fail(outcome: 'damaged' | 'failed', reason: string): void {
    const { to, log, everyMs } = this.#options;
    this.#counts[outcome] += 1;
    this.#lastOutcome = outcome;
    this.#lastFailure = reason;
    this.#since = 'failure';
    this.#fromMs = performance.now();
    const nextSeconds = Math.round(waitMs('failure', everyMs()) / 1000);
    log.write('error', 'a backup failed', { to, reason, next_seconds: nextSeconds });
  }
}
