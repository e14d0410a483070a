/** The bearer token of the public API. Knows nothing of HTTP but the header's value. */

import { createHash, timingSafeEqual } from 'node:crypto';

export type TokenCheck = (authorization: string | undefined) => boolean;

function digest(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest();
}

/**
 * A check of `Authorization` header values. Digests are compared, so that neither the length nor
 * the first wrong byte shows in the time taken. Null means that no token is set: all may pass.
 */
export function createTokenCheck(token: string | null): TokenCheck {
  if (token === null) return () => true;
  const expected = digest(token);
  return (authorization) => {
    if (authorization === undefined) return false;
    if (authorization.slice(0, 7).toLowerCase() !== 'bearer ') return false;
    return timingSafeEqual(digest(authorization.slice(7).trim()), expected);
  };
}
