#!/usr/bin/env node
/** The program: arguments in, exit code out. */

import { run } from './compose.js';

process.exit(await run(process.argv.slice(2)));
