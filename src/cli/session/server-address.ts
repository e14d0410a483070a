/** Where a server is that a command talks to, and whom it is believed to be. */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

import type { Command } from 'commander';

import { readReasonOf } from './file-reason.js';
import { CommandFailure, UsageFailure } from './failure.js';

import type { ConnectionOptions } from '../../client/client.js';
import type { Agent, fetch as undiciFetch } from 'undici';

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

interface Undici {
  readonly Agent: typeof Agent;
  readonly fetch: typeof undiciFetch;
}

/** What a connection needs beside its address: nothing where the system's own trust will do. */
export function trustOf({ ca: file, insecure }: Flags): Pick<ConnectionOptions, 'fetch'> {
  if (typeof file === 'string' && insecure === true) {
    throw new UsageFailure('--ca and --insecure exclude each other');
  }
  if (typeof file !== 'string' && insecure !== true) return {};
  // Few connections need it, and it takes its time to load.
  const { Agent, fetch } = createRequire(import.meta.url)('undici') as Undici;
  const connect =
    typeof file === 'string' ? { ca: certificateIn(file) } : { rejectUnauthorized: false };
  const dispatcher = new Agent({ connect });
  // Node's own fetch is this one, whose types differ by their version.
  const asked = (input: string, init: object): unknown => fetch(input, { ...init, dispatcher });
  return { fetch: asked as unknown as typeof globalThis.fetch };
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
