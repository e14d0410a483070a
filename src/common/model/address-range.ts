/** An IP address or a range of them, as `10.0.0.0/8`, `::1` or `192.168.1.7`. */

import { BlockList, isIP } from 'node:net';

export interface AddressRange {
  readonly address: string;
  readonly family: 'ipv4' | 'ipv6';
  /** Length of the network prefix, in bits. */
  readonly prefix: number;
}

/** An IPv4 address that an IPv6 socket reports. */
const kMapped = /^::ffff:([0-9.]+)$/i;

/** Returns null if `text` is neither an address nor a range. */
export function parseAddressRange(text: string): AddressRange | null {
  const match = /^([0-9A-Fa-f:.]+)(?:\/([0-9]{1,3}))?$/.exec(text.trim());
  const written = match?.[1] ?? '';
  const version = isIP(written);
  if (version === 0) return null;
  const widest = version === 4 ? 32 : 128;
  const prefix = match?.[2] === undefined ? widest : Number(match[2]);
  if (prefix > widest) return null;
  const mapped = kMapped.exec(written)?.[1];
  if (mapped !== undefined && isIP(mapped) === 4) {
    // A prefix below 96 bits would hold more than the IPv4 addresses that it shows.
    if (prefix < 96) return null;
    return { address: mapped, family: 'ipv4', prefix: prefix - 96 };
  }
  return { address: written, family: version === 4 ? 'ipv4' : 'ipv6', prefix };
}

export function printAddressRange(range: AddressRange): string {
  const widest = range.family === 'ipv4' ? 32 : 128;
  return range.prefix === widest ? range.address : `${range.address}/${range.prefix}`;
}

/** Returns a function that says if an address, as a socket reports it, is in one of the ranges. */
export function createAddressCheck(ranges: readonly AddressRange[]): (address: string) => boolean {
  const list = new BlockList();
  for (const { address, prefix, family } of ranges) list.addSubnet(address, prefix, family);
  return (reported) => {
    // A zone, as in fe80::1%eth0, is not part of the address.
    const plain = reported.replace(/%.*$/, '');
    const address = kMapped.exec(plain)?.[1] ?? plain;
    const version = isIP(address);
    return version !== 0 && list.check(address, version === 4 ? 'ipv4' : 'ipv6');
  };
}
