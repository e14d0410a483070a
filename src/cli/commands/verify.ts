/** `seriesdb verify`: reads every file and reports damage. */

import type { Command } from 'commander';

import { addEntryFlag, addStoreFlags, storeKeysHelp } from '../session/store-flags.js';
import { addPlace, finishMaintenance } from '../session/maintenance-command.js';

import type { Session } from '../session/command.js';

export function addVerify(program: Command, session: Session): void {
  const command = program
    .command('verify')
    .description('read every file of a database, or of a backup, completely and report damage')
    .option('--json', 'print one JSON object per line as each file is done')
    .addHelpText(
      'after',
      '\nThe directory, or s3://BUCKET/PREFIX instead of it, is not changed.' +
        storeKeysHelp +
        '\nExit codes: 0 no damage, 1 failed, 2 wrong usage, 3 damage was found, 130 interrupted.',
    );
  const withStore = addEntryFlag(addStoreFlags(addPlace(command)));
  finishMaintenance(withStore, session, async (context, [directory]) => {
    const { verify } = await import('../maintenance/verify.js');
    return verify(context, directory);
  });
}
