/** `seriesdb ingest`: lines into a database. */

import type { Command } from 'commander';

import { addLoadFlags, load, loadEnds, loadOptionsOf } from '../loading/load-command.js';
import { finishClient } from '../session/client-command.js';

import type { Input } from '../loading/input.js';
import type { Session } from '../session/command.js';

export function addIngest(program: Command, session: Session): void {
  const command = program
    .command('ingest')
    .description('load files of NDJSON lines, plain or .gz, or the standard input, into a database')
    .addHelpText('after', loadEnds);
  finishClient(addLoadFlags(command), session, async (context, flags) => {
    const linesOf = (input: Input): Promise<Input> => Promise.resolve(input);
    const options = loadOptionsOf(command, flags);
    return load(context, { flags, directories: session.directories }, () => ({
      ...options,
      linesOf,
    }));
  });
}
