/** `fetch` over connections that are made in another way than the usual one. */

import { createRequire } from 'node:module';

import type { Agent, fetch as undiciFetch } from 'undici';

interface Undici {
  readonly Agent: typeof Agent;
  readonly fetch: typeof undiciFetch;
}

/** Few commands need it, and it takes its time to load. */
export function fetchBy(options: Agent.Options): typeof globalThis.fetch {
  const { Agent, fetch } = createRequire(import.meta.url)('undici') as Undici;
  const dispatcher = new Agent(options);
  // Node's own fetch is this one, whose types differ by their version.
  const asked = (input: string, init: object): unknown => fetch(input, { ...init, dispatcher });
  return asked as unknown as typeof globalThis.fetch;
}
