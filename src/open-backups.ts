/** From settings to the backups of a server. */

import { Backups, type ScheduledTarget, type ScheduleSettings } from './backup/backups.js';
import { backupStoreOf } from './store-of.js';

import type { Environment } from './common/model/user-folder.js';
import type { Settings } from './config/settings.js';
import type { Storage } from './storage/storage.js';
import type { Log } from './telemetry/log.js';

/** The backups of a server, by the settings in force. */
export interface OwnBackups extends Omit<Backups, 'adopt'> {
  /** Returns what makes the change. Throws `invalid_configuration`. */
  prepare(settings: Settings): () => void;
}

interface OpeningBackups {
  readonly settings: Settings;
  readonly environment: Environment;
  readonly storage: Storage;
  readonly addonPath: string | undefined;
  readonly log: Log;
}

/** Throws `invalid_configuration` if the settings of a schedule are wrong. */
export function openBackups({ settings, environment, ...parts }: OpeningBackups): OwnBackups {
  const backups = new Backups({ ...parts, schedule: scheduleOf(settings, environment) });
  return {
    get facts() {
      return backups.facts;
    },
    begin: () => {
      backups.begin();
    },
    openToStore: (sent, keep) => backups.openToStore(sent, keep),
    close: () => backups.close(),
    prepare: (next) => {
      const schedule = scheduleOf(next, environment);
      return () => {
        backups.adopt(schedule);
      };
    },
  };
}

/** Null without one. Throws `invalid_configuration`. */
export function scheduleOf(settings: Settings, environment: Environment): ScheduleSettings | null {
  const { 'backup.to': to, 'backup.every': everyMs, 'backup.keep': keep } = settings;
  if (to === null) return null;
  const target = (): ScheduledTarget =>
    to.startsWith('s3:') ? { store: backupStoreOf(to, settings, environment) } : { directory: to };
  target();
  return { everyMs, keep, target };
}
