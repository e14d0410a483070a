/** The address of a server, and the trust in its certificate. */

import { readFileSync } from 'node:fs';

import type { Command } from 'commander';

import { readReasonOf } from './file-reason.js';
import { CommandFailure, UsageFailure } from './failure.js';
import { fetchBy } from './undici-fetch.js';

import type { ConnectionOptions } from '../../client/client.js';

type AddressFlags = Readonly<Record<string, unknown>>;

export function addTrustFlags(command: Command): Command {
  return command
    .option('--ca <file>', 'CA certificate (PEM) that signed the server’s certificate')
    .option('--insecure', 'accept any server certificate; for tests');
}

/** `host:port` means HTTP, as in a browser. The client rejects an invalid address. */
export function serverUrl(text: string): string {
  return /^(?:\[[\da-f:.]+\]|[^\s/:@?#]+):\d+(?:\/.*)?$/i.test(text) ? `http://${text}` : text;
}

/** The connection options of --ca and --insecure; empty: the system's trust. */
export function trustOf({ ca: file, insecure }: AddressFlags): Pick<ConnectionOptions, 'fetch'> {
  if (typeof file === 'string' && insecure === true) {
    throw new UsageFailure('--ca and --insecure exclude each other');
  }
  if (typeof file !== 'string' && insecure !== true) return {};
  const connect =
    typeof file === 'string' ? { ca: certificateIn(file) } : { rejectUnauthorized: false };
  return { fetch: fetchBy({ connect }) };
}

/** The certificates in a file. Throws CommandFailure. */
export function certificateIn(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new CommandFailure(`--ca: cannot read ${file}: ${readReasonOf(error)}`);
  }
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
  throw new CommandFailure(`--ca: ${file} holds no certificate in PEM`);
}
