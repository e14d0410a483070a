/** The entry point of a listener thread of a running server. */

import { fileURLToPath } from 'node:url';

import { Chunks } from './chunks.js';
import { givenFlags } from './v8-flags.js';

const folder = fileURLToPath(new URL('./', import.meta.url));
new Chunks(folder, givenFlags()).load('listener-thread.cjs');
