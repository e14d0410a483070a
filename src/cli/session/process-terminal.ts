/**
 * The terminal of this process. All text for a terminal passes through it. Data of a server, file
 * or argument therefore cannot inject control characters. Output to a pipe or file is unchanged.
 */

import { visible } from '../../common/model/visible-text.js';

import { painter } from './colours.js';

import type { Terminal } from './terminal.js';

/** Escapes a text of several lines. */
function shownLines(text: string): string {
  return visible(text, '\n\t');
}

export function processTerminal(environment: Terminal['environment']): Terminal {
  const paint = painter({ hasScreen: process.stderr.isTTY, environment });
  return {
    environment,
    write: (text) => {
      process.stdout.write(process.stdout.isTTY ? shownLines(text) : text);
    },
    drained: () =>
      new Promise((resolve) => {
        // Data that a pipe has not taken waits in memory, and would be lost at the exit.
        if (process.stdout.writableLength === 0) resolve();
        else
          process.stdout.write('', () => {
            resolve();
          });
      }),
    writeError: (text) => {
      process.stderr.write(shownLines(text));
    },
    complain: (text) => {
      const [first = '', ...rest] = shownLines(text).split('\n');
      process.stderr.write([paint(first, 'error'), ...rest].join('\n'));
    },
    paint,
    clearLine: () => {
      if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
    },
    // A terminal of unknown size reports 0 columns.
    width: () =>
      process.stdout.isTTY && process.stdout.columns > 0 ? process.stdout.columns : null,
    clearScreen: () => {
      // The earlier screen stays in the scrollback.
      if (process.stdout.isTTY) process.stdout.write('\u001b[H\u001b[2J');
      return process.stdout.isTTY;
    },
    note: (text) => {
      if (process.stderr.isTTY) process.stderr.write(shownLines(text));
    },
    standardInput: () => process.stdin,
    screen: () => (process.stderr.isTTY ? process.stderr : null),
    onInterrupt: (callback) => {
      const onSignal = (): void => {
        // A second Ctrl-C finds no handler, so it ends the process at once.
        stop();
        callback('signal');
      };
      const onOutputError = (error: NodeJS.ErrnoException): void => {
        callback(error.code === 'EPIPE' ? 'closed' : error);
      };
      const stop = (): void => {
        process.removeListener('SIGINT', onSignal);
        process.removeListener('SIGTERM', onSignal);
      };
      process.on('SIGINT', onSignal);
      process.on('SIGTERM', onSignal);
      process.stdout.on('error', onOutputError);
      return stop;
    },
  };
}
