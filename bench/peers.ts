/**
 * `npm run bench:peers`: sends the same requests to seriesdb and to the installed databases, one at
 * a time. `--only WORD` selects writes and questions whose name contains WORD. `--peer WORD,WORD`
 * selects databases.
 *
 * For writes, the CPU time of each server counts. First the series are created, which does not
 * count. Then one connection sends all requests. The server's work in the two seconds after them
 * counts, too. A peer may not have synced by then; seriesdb syncs before each answer.
 *
 * The questions come from the query bench, as far as other languages can express them. They are
 * drawn from a seed, and no two are alike. The first answers of each database are compared with
 * ours.
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
