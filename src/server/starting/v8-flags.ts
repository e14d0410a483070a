/**
 * V8 flags for garbage collection and compilation while a server runs; docs/decisions/0022 and 0100
 * give the reasons. They must be on the command line of Node.js, and are never set once V8 runs.
 * Compiled code is valid only under the flags with which it was stored.
 */

import type { FlagSet } from './kept-places.js';

/**
 * V8 of Node.js 20 counts bytes of bytecode. Later versions count calls, and optimize soon enough.
 */
const countsBytes = Number.parseInt(process.versions.v8, 10) < 12;

/**
 * Each request leaves a small graph of garbage. If objects survive a few scavenges, V8 allocates
 * similar ones in the old generation. There, dead objects keep young ones alive until the next full
 * collection. Little of the old generation is alive, apart from buffers of answers. V8 would
 * collect all of it after every growth by a quarter, many times a second.
 *
 * V8 optimizes a function after a certain amount of execution. A server runs few functions, with
 * the same types from its first requests on. It waits for each function that is optimized late.
 */
export const v8Flags: readonly string[] = [
  '--no-allocation-site-pretenuring',
  '--heap-growing-percent=300',
  ...(countsBytes ? ['--interrupt-budget=10000'] : []),
];

/** The part of the flags that Node.js was started with. */
export function givenFlags(): FlagSet {
  const count = v8Flags.filter((flag) => process.execArgv.includes(flag)).length;
  if (count === 0) return 'none';
  return count === v8Flags.length ? 'all' : 'some';
}
