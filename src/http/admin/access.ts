/**
 * Access to the admin listener. It checks the address, then the token. Without an allow list and
 * tokens, only this machine has access.
 */

import { bearerSecrets } from '../auth/schemes.js';
import { createTokenCheck, type TokenEntry } from '../auth/token.js';
import { AppError } from '../../common/errors/app-error.js';
import { tokenFault, type CallerGuard } from '../guard/guard.js';
import { createAddressCheck, type AddressRange } from '../../common/model/address-range.js';

interface AdminAccess {
  /** Null: no token is required. */
  readonly tokens: readonly TokenEntry[] | null;
  /** Empty: every address, if tokens are required. */
  readonly allow: readonly AddressRange[];
}

const loopback: readonly AddressRange[] = [
  { address: '127.0.0.0', family: 'ipv4', prefix: 8 },
  { address: '::1', family: 'ipv6', prefix: 128 },
];

export function createAdminGuard({ tokens, allow }: AdminAccess): CallerGuard {
  const ranges = allow.length === 0 && tokens === null ? loopback : allow;
  const isInside = createAddressCheck(ranges);
  const callerOf = createTokenCheck(tokens);
  return (head, peerAddress) => {
    if (ranges.length > 0 && !isInside(peerAddress())) {
      return new AppError('forbidden', 'this address may not use the admin listener');
    }
    return callerOf(bearerSecrets(head.authorization)) ?? tokenFault();
  };
}
