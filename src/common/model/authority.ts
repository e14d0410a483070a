/**
 * The authority of a request, from the `Host` header: a name or an address, with an optional port.
 */

import { isIPv4, isIPv6 } from 'node:net';

interface Authority {
  /** Lower case, without the brackets of an IPv6 address and the dot at the end of a full name. */
  readonly host: string;
  readonly isAddress: boolean;
}

/** Returns null if `text` is not a valid authority. */
export function parseAuthority(text: string): Authority | null {
  const match = /^(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9._-]+))(?::([0-9]{0,5}))?$/.exec(text);
  const [, bracketed, plain, port] = match ?? [];
  if (Number(port ?? 0) > 65_535) return null;
  if (bracketed !== undefined) {
    return isIPv6(bracketed) ? { host: bracketed.toLowerCase(), isAddress: true } : null;
  }
  if (plain === undefined) return null;
  if (isIPv4(plain)) return { host: plain, isAddress: true };
  const host = parseHostName(plain);
  return host === null ? null : { host, isAddress: false };
}

const kLabel = '[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?';
const kName = new RegExp(`^${kLabel}(?:\\.${kLabel})*\\.?$`);
/** A name that ends in a number is another notation of an address, or invalid. */
const kNumberAtEnd = /(?:^|\.)[0-9]+\.?$/;

/** Returns a host name in lower case without the trailing dot, or null if `text` is not a name. */
export function parseHostName(text: string): string | null {
  if (text.length > 254 || !kName.test(text) || kNumberAtEnd.test(text)) return null;
  return text.toLowerCase().replace(/\.$/, '');
}
