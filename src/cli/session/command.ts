/** What every command is made with: it adds itself to the program, its flags and its help. */

import type { Command } from 'commander';

import type { SettingsSource } from '../../config/live-settings.js';
import type { Settings } from '../../config/settings.js';
import type { Directories } from './directories.js';
import type { Terminal } from './terminal.js';

export interface Session {
  /** Where all commands write, and what they see of the process. */
  readonly terminal: Terminal;
  readonly directories: Directories;
  /** Runs until the server has stopped; resolves with the exit code. */
  readonly serve: (source: SettingsSource) => Promise<number>;
  /** Looks at what settings name outside of them, such as files. Throws. */
  readonly verify: (settings: Settings) => void;
  /** Takes the exit code of the command that ran. */
  readonly ended: (exitCode: number) => void;
}

/** What a file below commands/ exports, named after it: `addFind` of find.ts. */
export type AddCommand = (program: Command, session: Session) => void;
