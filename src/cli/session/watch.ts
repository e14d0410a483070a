/** `--watch`: repeats a command until Ctrl-C. */

import { setTimeout as sleep } from 'node:timers/promises';

import type { Command } from 'commander';

import { SeriesDbError } from '../../client/client.js';
import { parseDurationMs } from '../../common/model/duration.js';

import { textFlag, type ClientContext, type Flags } from './client-context.js';
import { CommandFailure, exitCodes, sentenceOf, UsageFailure } from './failure.js';

import type { Terminal } from './terminal.js';

const kPauseMinMs = 100;

export function addWatchFlag(command: Command): Command {
  return command.option('--watch <pause>', 'repeat after each pause, such as 2s, until Ctrl-C');
}

/** The pause in milliseconds; null without the flag. Throws UsageFailure. */
export function watchFlag(flags: Flags): number | null {
  const text = textFlag(flags, 'watch');
  if (text === undefined) return null;
  const pauseMs = parseDurationMs(text);
  if (pauseMs !== null && pauseMs >= kPauseMinMs) return pauseMs;
  throw new UsageFailure(`--watch must be a duration like 2s or 1m, and ${kPauseMinMs}ms at least`);
}

type Round = (context: ClientContext) => Promise<number>;

/** Without a pause, runs once. Resolves with the exit code. */
export async function watch(
  context: ClientContext,
  pauseMs: number | null,
  round: Round,
): Promise<number> {
  if (pauseMs === null) return round(context);
  try {
    for (let count = 0; ; count += 1) {
      await shownAtOnce(context, round, { isFirst: count === 0 });
      await sleep(pauseMs, undefined, { signal: context.signal });
    }
  } catch (error) {
    const { aborted } = context.signal;
    const reason: unknown = context.signal.reason;
    const isEnd = aborted && reason instanceof CommandFailure;
    // Ctrl-C is the regular end of a watch, not a failure.
    if (isEnd && reason.exitCode === exitCodes.interrupted) return exitCodes.ok;
    throw isEnd ? reason : error;
  }
}

/** Clears the screen only when the new output is complete, so that it does not flicker. */
async function shownAtOnce(
  context: ClientContext,
  round: Round,
  { isFirst }: { readonly isFirst: boolean },
): Promise<void> {
  const { terminal, url } = context;
  const held = new HeldTerminal(terminal);
  try {
    await round({ ...context, terminal: held.terminal });
  } catch (error) {
    // The server may come back, but a statement that fails in the first round will always fail.
    if (isFirst || !(error instanceof SeriesDbError)) throw error;
    held.terminal.complain(`seriesdb: ${sentenceOf(error, url)}\n`);
  }
  const time = new Date().toISOString();
  if (!terminal.clearScreen()) terminal.write(`--- ${time} ---\n`);
  held.show();
  terminal.note(`${time}\n`);
  await terminal.drained();
}

/** Buffers output until show(). */
class HeldTerminal {
  readonly terminal: Terminal;
  readonly #told: (() => void)[] = [];

  constructor(screen: Terminal) {
    const later =
      (tell: (text: string) => void) =>
      (text: string): void => {
        this.#told.push(() => {
          tell(text);
        });
      };
    this.terminal = {
      ...screen,
      write: later(screen.write),
      writeError: later(screen.writeError),
      complain: later(screen.complain),
      note: later(screen.note),
      drained: () => Promise.resolve(),
    };
  }

  show(): void {
    for (const tell of this.#told) tell();
  }
}
