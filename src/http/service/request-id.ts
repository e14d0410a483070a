/** The id of a request in answers and log lines. */

import { randomBytes } from 'node:crypto';

/** A valid id from a client: nothing that could forge a log line or a header. */
const kAcceptable = /^[A-Za-z0-9._-]{1,64}$/;

/** Unique among the requests of all processes, without a random number for each. */
export function createRequestIds(): (wanted: string | undefined) => string {
  const process = randomBytes(5).toString('hex');
  let count = 0;
  return (wanted) => {
    if (wanted !== undefined && kAcceptable.test(wanted)) return wanted;
    count += 1;
    return `${process}-${count.toString(36)}`;
  };
}
