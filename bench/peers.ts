/**
 * `npm run bench:peers`: the same requests to seriesdb and to the databases that are installed, one
 * at a time. `--only WORD`: those works and questions whose name contains WORD.
 *
 * Of writes the CPU time of each counts. A server is sent what makes the series first, which does
 * not count. Then it is sent all requests on one connection; what it does in the two seconds behind
 * them counts. Whether a peer has synced by then is its own choice: seriesdb has, before each
 * answer. Questions are drawn from a seed, no two alike: those of the query bench that PromQL has
 * words for.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { versions } from './peers/programs.js';
import { measureQuestions, printQuestions } from './peers/questions.js';
import { measureWrites, printWrites } from './peers/writes.js';
import { seed } from './query/draw.js';
import { machine } from './report.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

const { values: flags } = parseArgs({ options: { only: { type: 'string', default: '' } } });
for (const [name, version] of Object.entries(versions)) console.log(`  ${name}: ${version}`);
console.log(`  what is asked is drawn from seed ${String(seed)}`);
const rows = await measureWrites(flags.only);
if (rows.length > 0) printWrites(rows);
const questions = await measureQuestions(flags.only);
if (questions.length > 0) printQuestions(questions);
save();

function save(): void {
  const folder = path.join(root, 'bench', 'results');
  mkdirSync(folder, { recursive: true });
  const takenAt = new Date().toISOString();
  const file = path.join(folder, `peers-${takenAt.replace(/[:.]/g, '-')}.json`);
  writeFileSync(
    file,
    `${JSON.stringify({ takenAt, machine: machine(), versions, seed, rows, questions }, null, 2)}\n`,
  );
  console.log(`\nWritten to ${file}`);
}
