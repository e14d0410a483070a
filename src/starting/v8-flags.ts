/**
 * How V8 collects garbage and compiles while a server serves; docs/decisions/0022 and 0100 say why.
 * Code that V8 compiled is good only under the flags that it was kept under.
 */

import { setFlagsFromString } from 'node:v8';

/**
 * As it serves, and as V8 begins.
 *
 * Each request leaves a small graph of garbage. V8 takes what outlived a few scavenges as a reason
 * to make its like in the old generation, where dead objects keep young ones alive until the next
 * full collection. Of the old generation little is alive, beside buffers of answers: V8 would
 * collect all of it whenever that has grown by a quarter, many times a second.
 *
 * A function is optimized once so many bytes of its bytecode were run. A server runs few functions,
 * with the same types from its first requests on, and waits for each that is compiled late.
 */
const flags = [
  ['--no-allocation-site-pretenuring', '--allocation-site-pretenuring'],
  ['--heap-growing-percent=300', '--heap-growing-percent=0'],
  ['--interrupt-budget=10000', '--interrupt-budget=67584'],
] as const;

export function setServingFlags(): void {
  for (const [serving] of flags) setFlagsFromString(serving);
}

export function setFirstFlags(): void {
  for (const [, atFirst] of flags) setFlagsFromString(atFirst);
}
