/** `seriesdb build-addon`: compiles the addon, for a machine that the archive has none for. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';

import type { Command } from 'commander';

import { CommandFailure } from '../session/failure.js';
import { runCommand } from '../session/run-command.js';

import type { Session } from '../session/command.js';

export function addBuildAddon(program: Command, { terminal, packageFolder, ended }: Session): void {
  program
    .command('build-addon')
    .description('compile the engine for this machine, if the one that came along does not load')
    .addHelpText(
      'after',
      '\nIt needs CMake 3.16, make, a C++20 compiler and 2 GB of memory, takes minutes, and writes' +
        '\ninto the folder that seriesdb is installed in. A server takes it from its next start on.' +
        '\nExit codes: 0 compiled and loads, 1 failed, 2 wrong usage, 130 interrupted.',
    )
    .exitOverride()
    .action(async () => {
      const code = await runCommand(terminal, async (signal) => {
        const script = path.join(packageFolder, 'scripts', 'build-addon.mjs');
        if (!existsSync(script)) {
          throw new CommandFailure('this installation has no sources to compile');
        }
        // The terminal sends its Ctrl-C to the build, too.
        const child = spawn(process.execPath, [script], { stdio: 'inherit' });
        const [status] = (await once(child, 'close')) as [number | null];
        signal.throwIfAborted();
        if (status === null) throw new CommandFailure('the build was ended');
        return status;
      });
      ended(code);
    });
}
