/** The name of this machine in a bucket. */

import os from 'node:os';

/** The host name, as far as an entry of the bucket can hold it. */
export function nodeName(): string {
  const name = os
    .hostname()
    .replace(/[^!-~]/g, '_')
    .slice(0, 128);
  return name === '' ? 'unknown' : name;
}
