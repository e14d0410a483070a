/** Counts a program's instructions by an installed tool. */
import { spawnSync } from 'node:child_process';

/** The command of a tool, and the place of the count in its output. */
export interface Counter {
  readonly name: string;
  readonly command: readonly string[];
  readonly said: RegExp;
}

// valgrind lacks AVX-512, so it counts the AVX2 kernels.
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

/** The first tool that works here; null if there is none. */
export function findCounter(): Counter | null {
  return counters.find((one) => countOf(one, ['true']) !== null) ?? null;
}

/** Null if the tool is missing or does not count here. Throws if the program fails. */
export function countOf(counter: Counter, program: readonly string[]): number | null {
  const [file = '', ...args] = [...counter.command, ...program];
  const { status, error, stderr } = spawnSync(file, args, { encoding: 'utf8' });
  if (error !== undefined) return null;
  if (status !== 0) throw new Error(`${program.join(' ')} ended with ${String(status)}: ${stderr}`);
  const count = counter.said.exec(stderr)?.[1];
  return count === undefined ? null : Number(count);
}
