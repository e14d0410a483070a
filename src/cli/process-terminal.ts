/** The terminal of this process. */

import type { Terminal } from './terminal.js';

export function processTerminal(environment: Terminal['environment']): Terminal {
  return {
    environment,
    write: (text) => {
      process.stdout.write(text);
    },
    drained: () =>
      new Promise((resolve) => {
        // What a pipe does not take at once waits in memory, and would be lost at the exit.
        if (process.stdout.writableLength === 0) resolve();
        else
          process.stdout.write('', () => {
            resolve();
          });
      }),
    writeError: (text) => {
      process.stderr.write(text);
    },
    standardInput: () => process.stdin,
    screen: () => (process.stderr.isTTY ? process.stderr : null),
    onInterrupt: (callback) => {
      const onSignal = (): void => {
        // A second Ctrl-C finds no handler, and so ends the process at once.
        stop();
        callback('signal');
      };
      const onOutputError = (): void => {
        callback('closed');
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
