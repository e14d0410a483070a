/** `seriesdb restore`: restores a backup into a new directory. */

import type { Command } from 'commander';

import {
  addEntryFlag,
  addStoreFlags,
  isBucketUrl,
  refuseBucketFlags,
  storeKeysHelp,
} from '../session/store-flags.js';
import { finishMaintenance } from '../session/maintenance-command.js';

import type { Session } from '../session/command.js';

export function addRestore(program: Command, session: Session): void {
  const command = program
    .command('restore')
    .description('restore a backup into a new directory')
    .argument('<backup>', 'a directory or s3://BUCKET/PREFIX, which is not changed')
    .argument('<dir>', 'the new, empty data directory')
    .option('--snapshot <name>', 'restore this snapshot instead of the last state')
    .option('--json', 'print one JSON object per line as each file is done')
    .addHelpText(
      'after',
      '\nEach file is hashed as it is copied. Run an interrupted restore again to continue it.' +
        storeKeysHelp +
        '\nExit codes: 0 done, 1 failed, 2 wrong usage, 3 a file is damaged, 130 interrupted.',
    );
  const withStore = addEntryFlag(addStoreFlags(command));
  finishMaintenance(withStore, session, async (context, [source = '', target = '']) => {
    if (isBucketUrl(source)) {
      const { restoreFromBucket } = await import('../maintenance/bucket-backup.js');
      return restoreFromBucket(context, { url: source, target });
    }
    refuseBucketFlags(context);
    const { restore } = await import('../maintenance/backup.js');
    return restore(context, { source, target });
  });
}
