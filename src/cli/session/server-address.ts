/** Where a server is that a command talks to, and whom it is believed to be. */

import { readFileSync } from 'node:fs';

import type { Command } from 'commander';

import { readReasonOf } from './file-reason.js';
import { CommandFailure, UsageFailure } from './failure.js';
import { fetchBy } from './undici-fetch.js';

import type { ConnectionOptions } from '../../client/client.js';

type Flags = Readonly<Record<string, unknown>>;

export function addTrustFlags(command: Command): Command {
  return command
    .option('--ca <file>', 'CA certificate (PEM) that signed the server’s certificate')
    .option('--insecure', 'accept any server certificate; for tests');
}

/** `host:port` is HTTP, as a browser has it. What is no address the client refuses. */
export function serverUrl(text: string): string {
  return /^(?:\[[\da-f:.]+\]|[^\s/:@?#]+):\d+(?:\/.*)?$/i.test(text) ? `http://${text}` : text;
}

/** What a connection needs beside its address: nothing where the system's own trust will do. */
export function trustOf({ ca: file, insecure }: Flags): Pick<ConnectionOptions, 'fetch'> {
  if (typeof file === 'string' && insecure === true) {
    throw new UsageFailure('--ca and --insecure exclude each other');
  }
  if (typeof file !== 'string' && insecure !== true) return {};
  const connect =
    typeof file === 'string' ? { ca: certificateIn(file) } : { rejectUnauthorized: false };
  return { fetch: fetchBy({ connect }) };
}

function certificateIn(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new CommandFailure(`--ca: cannot read ${file}: ${readReasonOf(error)}`);
  }
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
  throw new CommandFailure(`--ca: ${file} holds no certificate in PEM`);
}
