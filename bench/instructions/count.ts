/** Instructions of a program, by what is installed that counts them. */
import { spawnSync } from 'node:child_process';

/** How a program is run by it, and where it says how many there were. */
export interface Counter {
  readonly name: string;
  readonly command: readonly string[];
  readonly said: RegExp;
}

// valgrind has no AVX-512: there it is the kernels of AVX2 that are counted.
const counters: readonly Counter[] = [
  {
    name: 'callgrind',
    command: ['valgrind', '--tool=callgrind', '--callgrind-out-file=/dev/null'],
    said: /Collected : (\d+)/,
  },
  {
    name: 'perf',
    command: ['perf', 'stat', '-x,', '-e', 'instructions:u'],
    said: /^(\d+),,instructions:u/m,
  },
];

/** The first that counts here; null where none does. */
export function findCounter(): Counter | null {
  return counters.find((one) => countOf(one, ['true']) !== null) ?? null;
}

/** Null where it is not installed, or counts nothing here. Throws when the program fails. */
export function countOf(counter: Counter, program: readonly string[]): number | null {
  const [file = '', ...args] = [...counter.command, ...program];
  const { status, error, stderr } = spawnSync(file, args, { encoding: 'utf8' });
  if (error !== undefined) return null;
  if (status !== 0) throw new Error(`${program.join(' ')} ended with ${String(status)}: ${stderr}`);
  const count = counter.said.exec(stderr)?.[1];
  return count === undefined ? null : Number(count);
}
