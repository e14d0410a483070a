/** `seriesdb bucket probe`: prints each finding when it is known. */

import { openStore } from '../../bucket/open-store.js';
import { probe } from '../../bucket/probe.js';
import { askedStore } from './asked-store.js';
import { writeFinding } from './write-finding.js';

import type { Flags } from '../session/client-context.js';
import type { Terminal } from '../session/terminal.js';

interface ProbeOptions {
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
  readonly url: string;
  readonly flags: Flags;
}

/** False if the store is not fit, or was not reached. */
export async function probeBucket({
  terminal,
  signal,
  url,
  flags,
}: ProbeOptions): Promise<boolean> {
  const store = await openStore(askedStore(url, flags, terminal));
  let isFit = true;
  try {
    for await (const finding of probe(store, signal)) {
      isFit &&= finding.verdict !== 'failed';
      writeFinding(terminal, finding, flags['json'] === true);
    }
  } finally {
    await store.close();
  }
  return isFit;
}
