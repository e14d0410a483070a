/** What a listener thread begins with, while a server serves. */

import { fileURLToPath } from 'node:url';

import { Chunks } from './chunks.js';
import { givenFlags } from './v8-flags.js';

const folder = fileURLToPath(new URL('./', import.meta.url));
new Chunks(folder, givenFlags()).load('listener-thread.cjs');
