/** What a listener thread begins with, while a server serves. */

import { fileURLToPath } from 'node:url';
import { workerData } from 'node:worker_threads';

import { Chunks } from './chunks.js';
import { firstPhase } from './v8-flags.js';

interface Given {
  readonly settings: { readonly v8_flags: string };
}

const { settings } = workerData as Given;
const phase = settings.v8_flags === 'none' ? firstPhase() : 'serving';
new Chunks(fileURLToPath(new URL('./', import.meta.url)), phase).load('listener-thread.cjs');
