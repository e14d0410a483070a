/**
 * Fills the WAL of a database up to the process's file size limit, and closes it. Prints the codes
 * of the last request and of two closes. `close.test.ts` runs it under such a limit.
 */
import { addon, ingest, optionsFor, rejectedBy } from './addon.js';

const engine = await addon.openEngine(optionsFor(process.argv[2] ?? ''));
let refused = 'resolved';
for (let first = 0; refused === 'resolved' && first < 100_000; first += 1000) {
  refused = await rejectedBy(() => ingest(engine, first, 1000));
}
const codes = [refused];
for (let i = 0; i < 2; i += 1) codes.push(await rejectedBy(() => engine.close()));
process.stdout.write(codes.join(' '));
