/**
 * Who may ask the admin listener: the address first, then the token. With neither an allow list nor
 * a token, only this machine.
 */

import { createTokenCheck } from '../auth/token.js';
import { AppError } from '../errors/app-error.js';
import { tokenFault, type Guard } from '../http/guard/guard.js';
import { createAddressCheck, type AddressRange } from '../model/address-range.js';

interface AdminAccess {
  readonly token: string | null;
  /** Empty: every address, if a token is set. */
  readonly allow: readonly AddressRange[];
}

const loopback: readonly AddressRange[] = [
  { address: '127.0.0.0', family: 'ipv4', prefix: 8 },
  { address: '::1', family: 'ipv6', prefix: 128 },
];

export function createAdminGuard({ token, allow }: AdminAccess): Guard {
  const ranges = allow.length === 0 && token === null ? loopback : allow;
  const isInside = createAddressCheck(ranges);
  const hasToken = createTokenCheck(token);
  return (head, peerAddress) => {
    if (ranges.length > 0 && !isInside(peerAddress())) {
      return new AppError('forbidden', 'this address may not use the admin listener');
    }
    return hasToken(head.authorization) ? null : tokenFault();
  };
}
