/** `fetch` with custom connection options. */

import { createRequire } from 'node:module';

import type { Agent, fetch as undiciFetch } from 'undici';

interface Undici {
  readonly Agent: typeof Agent;
  readonly fetch: typeof undiciFetch;
}

/** Loads undici on the first call: few commands need it, and it loads slowly. */
export function fetchBy(options: Agent.Options): typeof globalThis.fetch {
  const { Agent, fetch } = createRequire(import.meta.url)('undici') as Undici;
  const dispatcher = new Agent(options);
  // Node.js's fetch is undici's; only the types differ by version.
  const asked = (input: string, init: object): unknown => fetch(input, { ...init, dispatcher });
  return asked as unknown as typeof globalThis.fetch;
}
