/** Colours for people who look on: none where NO_COLOR is set, or the terminal knows none. */

import { styleText } from 'node:util';

import type { Terminal, Tone } from './terminal.js';

const styles: Readonly<Record<Tone, Parameters<typeof styleText>[0]>> = {
  error: 'red',
  prompt: 'cyan',
  name: 'bold',
  remark: 'dim',
};

/** Where text goes is known here, and Node would look at another stream. */
const unchecked = { validateStream: false } as const;

interface Place {
  /** Whether somebody looks. */
  readonly hasScreen: boolean;
  readonly environment: Terminal['environment'];
}

/** See https://no-color.org: any value that is not empty says no. */
export function painter({ hasScreen, environment }: Place): Terminal['paint'] {
  const isPlain = (environment['NO_COLOR'] ?? '') !== '' || environment['TERM'] === 'dumb';
  return (text, tone) => (hasScreen && !isPlain ? styleText(styles[tone], text, unchecked) : text);
}
