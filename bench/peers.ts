/**
 * `npm run bench:peers`: the same requests to seriesdb and to the databases that are installed, one
 * at a time. `--only WORD`: those works and questions whose name contains WORD; `--peer
 * WORD,WORD`: those databases.
 *
 * Of writes the CPU time of each counts. A server is sent what makes the series first, which does
 * not count. Then it is sent all requests on one connection; what it does in the two seconds behind
 * them counts. Whether a peer has synced by then is its own choice: seriesdb has, before each
 * answer. Questions are drawn from a seed, no two alike: those of the query bench that others have
 * words for. The first answers of each are compared with ours.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { findInstalled } from './peers/installed.js';
import { measureQuestions } from './peers/questions.js';
import { printTable } from './peers/table.js';
import { measureWrites } from './peers/writes.js';
import { seed } from './query/draw.js';
import { machine } from './report.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

const { values: flags } = parseArgs({
  options: { only: { type: 'string', default: '' }, peer: { type: 'string', default: '' } },
});
const { peers, versions, missing } = await findInstalled(flags.peer);
for (const [name, version] of Object.entries(versions)) console.log(`  ${name}: ${version}`);
for (const [name, origin] of Object.entries(missing)) {
  console.log(`  ${name} is left out, since it is not installed: ${origin}`);
}
console.log(`  what is asked is drawn from seed ${String(seed)}`);
const rows = await measureWrites(peers, flags.only);
const questions = await measureQuestions(peers, flags.only);
printTable(
  peers.map(({ name }) => name),
  rows,
  questions,
);
save();

function save(): void {
  const folder = path.join(root, 'bench', 'results');
  mkdirSync(folder, { recursive: true });
  const takenAt = new Date().toISOString();
  const file = path.join(folder, `peers-${takenAt.replace(/[:.]/g, '-')}.json`);
  const result = { takenAt, machine: machine(), versions, missing, seed, rows, questions };
  writeFileSync(file, `${JSON.stringify(result, null, 2)}\n`);
  console.log(`\nWritten to ${file}`);
}
