/** An address to listen on, written `host:port` or `[v6]:port`. */

export interface ListenAddress {
  readonly host: string;
  /** With 0 the operating system chooses a port. */
  readonly port: number;
}

export function parseListenAddress(text: string): ListenAddress | null {
  const match = /^(?:\[([0-9A-Fa-f:.]+)\]|([^:[\]\s]+)):([0-9]{1,5})$/.exec(text);
  const host = match?.[1] ?? match?.[2];
  const port = Number(match?.[3]);
  if (host === undefined || port > 65_535) return null;
  return { host, port };
}

export function printListenAddress(address: ListenAddress): string {
  return address.host.includes(':')
    ? `[${address.host}]:${address.port}`
    : `${address.host}:${address.port}`;
}

export function isLoopback(address: ListenAddress): boolean {
  return (
    address.host === 'localhost' ||
    address.host === '::1' ||
    /^127(\.[0-9]{1,3}){3}$/.test(address.host)
  );
}
