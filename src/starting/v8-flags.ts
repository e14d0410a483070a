/**
 * How V8 collects garbage and compiles while a server serves; docs/decisions/0022 and 0100 say why.
 * Code that V8 compiled is good only under the flags that it was kept under.
 */

import { setFlagsFromString } from 'node:v8';

import type { Phase } from './chunks.js';

/** That were run of a function, as V8 of Node.js 20 does. Later ones count calls, soon enough. */
const countsBytes = Number.parseInt(process.versions.v8, 10) < 12;

/**
 * As it serves, and as V8 begins.
 *
 * Each request leaves a small graph of garbage. V8 takes what outlived a few scavenges as a reason
 * to make its like in the old generation, where dead objects keep young ones alive until the next
 * full collection. Of the old generation little is alive, beside buffers of answers: V8 would
 * collect all of it whenever that has grown by a quarter, many times a second.
 *
 * A function is optimized once so much of it was run. A server runs few functions, with the same
 * types from its first requests on, and waits for each that is compiled late.
 */
export const v8Flags = [
  ['--no-allocation-site-pretenuring', '--allocation-site-pretenuring'],
  ['--heap-growing-percent=300', '--heap-growing-percent=0'],
  ...(countsBytes ? [['--interrupt-budget=10000', '--interrupt-budget=67584'] as const] : []),
] as const;

/** Whether Node.js began with the flags of a server, given on its command line. */
function beganServing(): boolean {
  return v8Flags.every(([serving]) => process.execArgv.includes(serving));
}

/** The phase whose flags V8 has until a server listens. */
export function firstPhase(): Phase {
  return beganServing() ? 'serving' : 'starting';
}

export function setServingFlags(): void {
  if (beganServing()) return;
  for (const [serving] of v8Flags) setFlagsFromString(serving);
}

export function setFirstFlags(): void {
  for (const [, atFirst] of v8Flags) setFlagsFromString(atFirst);
}
