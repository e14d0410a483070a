/** `seriesdb repair`: a damaged database made whole again. */

import type { Command } from 'commander';

import { addPlace, finishCare } from '../session/care-command.js';

import type { Session } from '../session/command.js';

export function addRepair(program: Command, session: Session): void {
  const command = program
    .command('repair')
    .description('make a damaged database whole again, as far as its files allow')
    .option('--accept-loss', 'let go what cannot be read any more')
    .option('--dry-run', 'change nothing, and say what would be done')
    .option('--timestamp-unit <unit>', 's, ms, us or ns, where ROOT is lost')
    .option('--json', 'a JSON object a line, as each file is done')
    .addHelpText(
      'after',
      '\nWhat is taken out of use goes to quarantine/ in the data directory; nothing is deleted.' +
        '\nA running server, named by --url, repairs its segments only, and goes on meanwhile.' +
        '\nExit codes: 0 whole, or made whole, 1 failed, 2 wrong usage, 3 something is left: it takes --accept-loss,' +
        '\nor snapshots hold it, which are named; 130 interrupted.',
    );
  finishCare(addPlace(command), session, async (context, [directory]) => {
    const { repair } = await import('../care/repair.js');
    return repair(context, directory);
  });
}
