/**
 * How V8 collects garbage and compiles while a server serves; docs/decisions/0022 and 0100 say why.
 * The flags stand on the command line of Node.js, and never are set once V8 runs. Code that V8
 * compiled is good only under the flags that it was kept under.
 */

import type { FlagSet } from './chunks.js';

/** V8 of Node.js 20 counts bytes of bytecode; later ones count calls, soon enough. */
const countsBytes = Number.parseInt(process.versions.v8, 10) < 12;

/**
 * Each request leaves a small graph of garbage. V8 takes what outlived a few scavenges as a reason
 * to make its like in the old generation, where dead objects keep young ones alive until the next
 * full collection. Of the old generation little is alive, beside buffers of answers: V8 would
 * collect all of it whenever that has grown by a quarter, many times a second.
 *
 * A function is optimized once so much of it was run. A server runs few functions, with the same
 * types from its first requests on, and waits for each that is compiled late.
 */
export const v8Flags: readonly string[] = [
  '--no-allocation-site-pretenuring',
  '--heap-growing-percent=300',
  ...(countsBytes ? ['--interrupt-budget=10000'] : []),
];

/** Which of them Node.js was started with. */
export function givenFlags(): FlagSet {
  const count = v8Flags.filter((flag) => process.execArgv.includes(flag)).length;
  if (count === 0) return 'none';
  return count === v8Flags.length ? 'all' : 'some';
}
