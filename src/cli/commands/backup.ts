/** `seriesdb backup`: copies a database to another directory, or to an object store. */

import { InvalidArgumentError, type Command } from 'commander';

import {
  addStoreFlags,
  isBucketUrl,
  refuseBucketFlags,
  storeKeysHelp,
} from '../session/store-flags.js';
import { addOpeningFlags, addPlace, finishMaintenance } from '../session/maintenance-command.js';

import type { Session } from '../session/command.js';

export function addBackup(program: Command, session: Session): void {
  const command = program
    .command('backup')
    .description('copy a database and its snapshots to another directory or an object store')
    .argument(
      '<target>',
      'an empty directory or s3://BUCKET/PREFIX, or the last backup, which is brought up to date',
    )
    .option(
      '--keep <count>',
      'on an object store: backups that stay readable (default 7)',
      readKept,
    )
    .addHelpText(
      'after',
      '\nA server that has the directory open writes the backup, as its own user; --url asks a server' +
        '\nelsewhere, and the target is then on its machine. Keys of an object store are sent to a server by' +
        '\nthe socket in its directory only, not by --url.' +
        '\nThe previous backup stays valid until the new one is complete.' +
        '\nRepeat an interrupted backup to continue it.' +
        storeKeysHelp +
        '\nExit codes: 0 done, 1 failed, 2 wrong usage, 3 a file is damaged, 130 interrupted.',
    );
  finishMaintenance(
    addStoreFlags(addOpeningFlags(addPlace(command))),
    session,
    async (context, [target, directory]) => {
      if (isBucketUrl(target ?? '')) {
        const { backupToBucket } = await import('../maintenance/bucket-backup.js');
        return backupToBucket(context, { url: target ?? '', directory });
      }
      refuseBucketFlags(context);
      const { backup } = await import('../maintenance/backup.js');
      return backup(context, { target: target ?? '', directory });
    },
  );
}

function readKept(text: string): number {
  if (/^[1-9]\d{0,2}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a number from 1 to 999.');
}
