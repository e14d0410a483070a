/** Colours for terminals: none if NO_COLOR is set, or if the terminal has none. */

import { styleText } from 'node:util';

import type { Terminal, Tone } from './terminal.js';

const styles: Readonly<Record<Tone, Parameters<typeof styleText>[0]>> = {
  error: 'red',
  prompt: 'cyan',
  name: 'bold',
  remark: 'dim',
};

/** The caller knows the stream; Node.js would check a different one. */
const unchecked = { validateStream: false } as const;

interface OutputPlace {
  /** True if the output is a terminal. */
  readonly hasScreen: boolean;
  readonly environment: Terminal['environment'];
}

/** See https://no-color.org: any non-empty value disables colours. */
export function painter({ hasScreen, environment }: OutputPlace): Terminal['paint'] {
  const isPlain = (environment['NO_COLOR'] ?? '') !== '' || environment['TERM'] === 'dumb';
  return (text, tone) => (hasScreen && !isPlain ? styleText(styles[tone], text, unchecked) : text);
}
