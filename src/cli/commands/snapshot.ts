/** `seriesdb snapshot`: named states of a database. */

import type { Command } from 'commander';

import { addOpeningFlags, addPlace, finishMaintenance } from '../session/maintenance-command.js';

import type { Session } from '../session/command.js';

export function addSnapshot(program: Command, session: Session): void {
  const group = program
    .command('snapshot')
    .description('create, delete and list snapshots: named states that are kept')
    .exitOverride();
  const create = group
    .command('create')
    .description('keep the current state under a name')
    .argument('<name>', 'letters, digits, "_", "-" and "."')
    .addHelpText(
      'after',
      '\nA snapshot copies nothing. Its files stay on disk until it is deleted.' +
        '\nExit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted.',
    );
  finishMaintenance(
    addOpeningFlags(addPlace(create)),
    session,
    async (context, [name, directory]) => {
      const { perform } = await import('../maintenance/task.js');
      return perform({ task: 'snapshot/create', name }, context, directory);
    },
  );
  const remove = group
    .command('delete')
    .description('delete a snapshot and free the files that only it keeps')
    .argument('<name>', 'name of the snapshot')
    .addHelpText('after', '\nExit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted.');
  finishMaintenance(
    addOpeningFlags(addPlace(remove)),
    session,
    async (context, [name, directory]) => {
      const { perform } = await import('../maintenance/task.js');
      return perform({ task: 'snapshot/delete', name }, context, directory);
    },
  );
  const list = group
    .command('list')
    .description('list snapshots and the bytes that each keeps')
    .addHelpText(
      'after',
      '\nown_bytes are freed when the snapshot is deleted. The directory is not changed.' +
        '\nExit codes: 0 told, 1 failed, 2 wrong usage, 130 interrupted.',
    );
  const withForm = addPlace(list).option(
    '--json',
    'print one JSON object per line instead of a table',
  );
  finishMaintenance(withForm, session, async (context, [directory]) => {
    const { listSnapshots } = await import('../maintenance/snapshots.js');
    return listSnapshots(context, directory);
  });
}
