#!/usr/bin/env node
/** The program: arguments in, exit code out. */

import { setFlagsFromString } from 'node:v8';

import { run } from './compose.js';

// Each request leaves a small graph of garbage. V8 takes what outlived a few scavenges as a reason
// to make its like in the old generation, where dead objects keep young ones alive until the next
// full collection; see docs/decisions/0022. Not before all is loaded: after a flag Node.js
// compiles its own modules anew.
setFlagsFromString('--no-allocation-site-pretenuring');

// No `await`: the program is CommonJS.
void run(process.argv.slice(2)).then((code) => process.exit(code));
