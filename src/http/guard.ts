/** Who may ask. Decided from the head alone, before routing and before any byte of the body. */

import { AppError } from '../errors/app-error.js';

import type { TokenCheck } from '../auth/token.js';
import type { RequestHead } from './transport.js';

/** Null: may pass. `peerAddress` is the socket's, never a header's. */
export type Guard = (head: RequestHead, peerAddress: () => string) => AppError | null;

/** What an orchestrator asks, by whatever name: it tells nothing and changes nothing. */
export const probePaths: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

/** The guarded part of the public API. */
const kGuardedPrefix = '/api/';

export function publicGuard(isAllowed: TokenCheck): Guard {
  return (head) => {
    if (!head.path.startsWith(kGuardedPrefix) || isAllowed(head.authorization)) return null;
    return tokenFault();
  };
}

export function tokenFault(): AppError {
  return new AppError('unauthorized', 'a valid bearer token is required');
}
