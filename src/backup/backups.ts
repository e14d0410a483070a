/** The backups of a server: by its schedule, and by commands of its owner. One runs at a time. */

import { bucketUrlOf } from '../bucket/bucket-place.js';
import { receivedStore, type SentStore } from '../bucket/sent-store.js';
import { AppError } from '../common/errors/app-error.js';
import { beginBackup, type LinePieces } from '../operations/maintenance.js';

import { reportOf, type BackupReport } from './report.js';
import { BackupSchedule } from './schedule.js';
import { StoreBackup, type BackedUp } from './store-backup.js';

import type { StoreSettings } from '../bucket/store-settings.js';
import type { BackupFacts } from '../telemetry/backup-status.js';
import type { Log } from '../telemetry/log.js';

/** Where the schedule writes to. */
export type ScheduledTarget = { readonly store: StoreSettings } | { readonly directory: string };

/** The schedule of the settings in force. */
export interface ScheduleSettings {
  readonly everyMs: number;
  readonly keep: number;
  /** Reads keys again. Throws `invalid_configuration`. */
  readonly target: () => ScheduledTarget;
}

interface BackupsOptions extends BackedUp {
  /** Null: there is no schedule. */
  readonly schedule: ScheduleSettings | null;
  readonly log: Log;
}

/** A backup that may be cancelled, and awaited. */
interface RunningBackup {
  close(): void;
  /** Never rejects. */
  readonly ended: Promise<void>;
}

const nameOf = (target: ScheduledTarget): string =>
  'store' in target ? bucketUrlOf(target.store.place) : target.directory;

export class Backups {
  readonly #options: BackupsOptions;
  readonly #schedule: BackupSchedule | null;
  #settings: ScheduleSettings | null;
  #running: RunningBackup | null = null;
  #isClosed = false;

  constructor(options: BackupsOptions) {
    const { schedule, log } = options;
    this.#options = options;
    this.#settings = schedule;
    this.#schedule =
      schedule === null
        ? null
        : new BackupSchedule({
            to: nameOf(schedule.target()),
            everyMs: () => (this.#settings ?? schedule).everyMs,
            run: () => this.#runScheduled(this.#settings ?? schedule),
            log,
          });
  }

  /** Null without a schedule. */
  get facts(): BackupFacts | null {
    return this.#schedule?.facts ?? null;
  }

  /** The schedule begins. */
  begin(): void {
    this.#schedule?.arm();
  }

  /** From now on these settings hold. Whether there is a schedule does not change. */
  adopt(settings: ScheduleSettings | null): void {
    this.#settings = settings;
    this.#schedule?.arm();
  }

  /** By a command. Throws `locked` while another backup runs, and `invalid_configuration`. */
  openToStore(sent: SentStore, keep: number): LinePieces {
    const store = receivedStore(sent);
    if (this.#isClosed) throw new AppError('closed', 'the server stops');
    if (this.#running !== null) {
      throw new AppError('locked', 'the server makes another backup now; try again when it ended');
    }
    return this.#begun(new StoreBackup(this.#options, { store, keep }));
  }

  /** Cancels what runs. Before the storage is closed. */
  async close(): Promise<void> {
    this.#isClosed = true;
    // It then counts no failure.
    const scheduled = this.#schedule?.close();
    this.#running?.close();
    await this.#running?.ended;
    await scheduled;
  }

  async #runScheduled({ target, keep }: ScheduleSettings): Promise<BackupReport> {
    while (this.#running !== null) await this.#running.ended;
    if (this.#isClosed) throw new AppError('closed', 'the server stops');
    const to = target();
    if ('directory' in to) return this.#toDirectory(to.directory);
    const backup = this.#begun(new StoreBackup(this.#options, { ...to, keep }));
    return reportOf(backup);
  }

  #toDirectory(directory: string): Promise<BackupReport> {
    const pieces = beginBackup(this.#options.storage, directory);
    const report = reportOf(pieces).finally(() => {
      pieces.close();
    });
    const ended = report.then(
      () => undefined,
      () => undefined,
    );
    this.#begun({
      close: () => {
        pieces.close();
      },
      ended,
    });
    return report;
  }

  #begun<Kind extends RunningBackup>(backup: Kind): Kind {
    this.#running = backup;
    void backup.ended.then(() => {
      this.#running = null;
    });
    return backup;
  }
}
