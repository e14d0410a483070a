/** Who may ask. Decided from the head alone, before any byte of the body. */

import { AppError } from '../../errors/app-error.js';

import type { TokenCheck } from '../../auth/token.js';
import type { Scope } from '../route/route.js';
import type { RequestHead } from '../transport/transport.js';

/** Null: may pass. `peerAddress` is the socket's, never a header's. */
export type Guard = (head: RequestHead, peerAddress: () => string) => AppError | null;

/** The same, for who may ask what is of a scope. */
export type ScopeGuard = (
  head: RequestHead,
  peerAddress: () => string,
  scope: Scope,
) => AppError | null;

export function publicGuard(isAllowed: TokenCheck): ScopeGuard {
  return (head, _peerAddress, scope) => {
    if (scope === 'public' || isAllowed(head.authorization)) return null;
    return tokenFault();
  };
}

export function tokenFault(): AppError {
  return new AppError('unauthorized', 'a valid bearer token is required');
}
