/** `seriesdb snapshot`: names for states of a database. */

import type { Command } from 'commander';

import { addOpeningFlags, addPlace, finishCare } from '../session/care-command.js';

import type { Session } from '../session/command.js';

export function addSnapshot(program: Command, session: Session): void {
  const group = program
    .command('snapshot')
    .description('names for states of a database, which keep them as they are')
    .exitOverride();
  const create = group
    .command('create')
    .description('keep all that is stored now under a name')
    .argument('<name>', 'letters, digits, "_", "-" and "."')
    .addHelpText(
      'after',
      '\nIt copies nothing. What it names stays on the disk until it is deleted.' +
        '\nExit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted.',
    );
  finishCare(addOpeningFlags(addPlace(create)), session, async (context, [name, directory]) => {
    const { perform } = await import('../care/task.js');
    return perform({ task: 'snapshot/create', name }, context, directory);
  });
  const remove = group
    .command('delete')
    .description('forget a name, and free what only it keeps')
    .argument('<name>', 'the name of a snapshot')
    .addHelpText('after', '\nExit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted.');
  finishCare(addOpeningFlags(addPlace(remove)), session, async (context, [name, directory]) => {
    const { perform } = await import('../care/task.js');
    return perform({ task: 'snapshot/delete', name }, context, directory);
  });
  const list = group
    .command('list')
    .description('the names that there are, and what each of them keeps')
    .addHelpText(
      'after',
      '\nown_bytes are those that go when it is deleted. No byte of the directory is changed.' +
        '\nExit codes: 0 told, 1 failed, 2 wrong usage, 130 interrupted.',
    );
  const withForm = addPlace(list).option('--json', 'a JSON object a line, not a table');
  finishCare(withForm, session, async (context, [directory]) => {
    const { listSnapshots } = await import('../care/snapshots.js');
    return listSnapshots(context, directory);
  });
}
