/** Authenticates requests from the head alone, before any byte of the body. */

import { AppError } from '../../common/errors/app-error.js';

import { headerSecrets, querySecrets } from '../auth/schemes.js';
import { anybody, type Caller, type TokenCheck } from '../auth/token.js';

import type { RoutePlace } from '../route/build-table.js';
import type { RequestHead } from '../transport/transport.js';

/**
 * Returns the caller, or the reason of refusal. `peerAddress` is the socket's address, never a
 * header's.
 */
export type CallerGuard = (
  head: RequestHead,
  peerAddress: () => string,
  place: Pick<RoutePlace<never>, 'isOpen' | 'isStatus' | 'protocol'>,
) => Caller | AppError;

/** `opensStatus` is the setting `open_status`. */
export function publicGuard(callerOf: TokenCheck, opensStatus: boolean): CallerGuard {
  return (head, _peerAddress, { isOpen, isStatus, protocol }) => {
    if (isOpen && (opensStatus || !isStatus)) return anybody;
    const secrets = headerSecrets(head.authorization);
    const shown =
      protocol?.takesQuerySecret === true ? [...secrets, ...querySecrets(head.query)] : secrets;
    return callerOf(shown) ?? tokenFault();
  };
}

/**
 * The caller over the socket in the data directory. Token names have no colon, so the log is
 * unambiguous.
 */
const owner: Caller = { ...anybody, name: 'owner:socket' };

/** The guard of that socket. The file's mode already restricts access. */
export const ownerGuard: CallerGuard = () => owner;

export function tokenFault(): AppError {
  return new AppError('unauthorized', 'a valid bearer token is required');
}
