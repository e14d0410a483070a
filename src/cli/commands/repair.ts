/** `seriesdb repair`: repairs a damaged database. */

import type { Command } from 'commander';

import { addPlace, finishMaintenance } from '../session/maintenance-command.js';

import type { Session } from '../session/command.js';

export function addRepair(program: Command, session: Session): void {
  const command = program
    .command('repair')
    .description('repair a damaged database as far as its files allow')
    .option('--accept-loss', 'drop data that can no longer be read')
    .option('--dry-run', 'change nothing, print what would be done')
    .option('--timestamp-unit <unit>', 's, ms, us or ns; needed if ROOT is lost')
    .option('--json', 'print one JSON object per line as each file is done')
    .addHelpText(
      'after',
      '\nFiles taken out of use are moved to quarantine/ in the data directory; nothing is deleted.' +
        '\nA running server repairs only its segments, and keeps serving meanwhile.' +
        '\nExit codes: 0 whole or repaired, 1 failed, 2 wrong usage, 3 damage is left: use --accept-loss, or' +
        '\ndelete the named snapshots that hold it; 130 interrupted.',
    );
  finishMaintenance(addPlace(command), session, async (context, [directory]) => {
    const { repair } = await import('../maintenance/repair.js');
    return repair(context, directory);
  });
}
