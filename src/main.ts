#!/usr/bin/env node
/** The program: arguments in, exit code out. */

import { run } from './compose.js';

// No `await`: the program is CommonJS.
void run(process.argv.slice(2)).then((code) => process.exit(code));
