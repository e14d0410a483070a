/** What a listener thread begins with, while a server serves. */

import { fileURLToPath } from 'node:url';

import { Chunks } from './chunks.js';

new Chunks(fileURLToPath(new URL('./', import.meta.url)), 'serving').load('listener-thread.cjs');
