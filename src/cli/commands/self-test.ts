/** `seriesdb self-test`: tests this machine for a database, without one. */

import type { Command } from 'commander';

import { exitCodes } from '../session/failure.js';
import { runCommand } from '../session/run-command.js';

import type { Session } from '../session/command.js';

export function addSelfTest(program: Command, { terminal, directories, ended }: Session): void {
  program
    .command('self-test')
    .description('test clock, disk, codec and limits of this machine in a few seconds')
    .argument('[dir]', 'a folder on the disk to test', '.')
    .option('--json', 'print one JSON object per line as each test is done')
    .addHelpText(
      'after',
      '\nIt works in a folder of its own below DIR, and removes it. Put its output into a report of a bug.' +
        '\nExit codes: 0 all passed, perhaps with warnings, 1 a test failed, 2 wrong usage, 130 interrupted.',
    )
    .exitOverride()
    .action(async (directory: string, { json = false }: { readonly json?: boolean }) => {
      const code = await runCommand(terminal, async (signal) => {
        const { selfTest } = await import('../maintenance/self-test.js');
        const isPassed = await selfTest({ terminal, directories, signal, directory, isJson: json });
        return isPassed ? exitCodes.ok : exitCodes.failed;
      });
      ended(code);
    });
}
