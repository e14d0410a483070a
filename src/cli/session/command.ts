/** The dependencies of every command: it adds itself, its flags and its help to the program. */

import type { Command } from 'commander';

import type { SettingsSource } from '../../config/live-settings.js';
import type { Settings } from '../../config/settings.js';
import type { Directories } from './directories.js';
import type { Terminal } from './terminal.js';

export interface Session {
  /** Output and environment of all commands. */
  readonly terminal: Terminal;
  readonly directories: Directories;
  /** Where the program is installed; its scripts are below. */
  readonly packageFolder: string;
  /** Runs until the server has stopped; resolves with the exit code. */
  readonly serve: (source: SettingsSource) => Promise<number>;
  /** Checks external things that settings name, such as files. Throws. */
  readonly verify: (settings: Settings) => void;
  /** Gets the exit code of the command. */
  readonly ended: (exitCode: number) => void;
}

/** The export of a file below commands/, named after it: `addFind` of find.ts. */
export type AddCommand = (program: Command, session: Session) => void;
