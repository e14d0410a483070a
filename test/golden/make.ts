/**
 * `npm run golden -- FORMAT`: makes the golden directories anew, of the format that this build
 * writes, below test/golden/format-FORMAT.
 */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { removeDirectories } from '../native/addon.js';
import { cases, halfDigit, tenth, type Others } from './cases.js';
import { dayMs, GoldenDatabase } from './engine.js';

/** Segments of two flushes with a deletion, and a log of three runs. */
async function makeWhole(): Promise<{ directory: string; earlierManifest: Buffer }> {
  const database = new GoldenDatabase();
  await database.open();
  await database.ingest(['a', 'b'], 0, 10);
  await database.annotate('first');
  await database.engine.flush();
  const earlierManifest = readFileSync(join(database.directory, 'MANIFEST'));
  await database.remove('a', 2n, 3n);
  await database.ingest(['a', 'b', 'e'], dayMs, 10);
  await database.ingest(['f'], dayMs, 10, tenth);
  await database.ingest(['f'], 2 * dayMs, 1, halfDigit);
  await database.engine.flush();
  for (const first of [0, 5, 10]) await database.ingest(['c'], first, 5);
  await database.close();
  await database.open();
  for (const first of [15, 20]) await database.ingest(['c'], first, 5);
  await database.remove('b', 5n, 6n);
  await database.annotate('second');
  await database.close();
  await database.open();
  for (const first of [25, 30]) await database.ingest(['c'], first, 5);
  await database.close();
  return { directory: database.directory, earlierManifest };
}

/** As many flushes, of other samples. */
async function makeForeign(): Promise<string> {
  const database = new GoldenDatabase();
  await database.open();
  for (const first of [100, 200]) {
    await database.ingest(['a', 'b'], first, 10);
    await database.ingest(['a', 'b'], first + 50, 10);
    await database.engine.flush();
  }
  await database.close();
  return database.directory;
}

/** Its clock of retention has let go the first samples of `a`. */
async function makeRetained(): Promise<string> {
  const database = new GoldenDatabase(undefined, [{ match: 'a*', keep: BigInt(30 * dayMs) }]);
  await database.open();
  await database.ingest(['a', 'b'], 0, 10);
  await database.ingest(['a'], 40 * dayMs, 10);
  await database.engine.flush();
  await database.engine.compact();
  await database.close();
  return database.directory;
}

/** The lock and the reserve are of the process that ran. */
function copyData(from: string, to: string): void {
  cpSync(from, to, { recursive: true });
  for (const name of ['LOCK', 'RESERVE']) rmSync(join(to, name), { force: true });
}

async function make(format: number): Promise<void> {
  const { directory, earlierManifest } = await makeWhole();
  const others: Others = {
    earlierManifest,
    foreign: await makeForeign(),
    retained: await makeRetained(),
  };
  const folder = join('test', 'golden', `format-${String(format)}`);
  rmSync(folder, { recursive: true, force: true });
  for (const one of cases) {
    const data = join(folder, one.name, 'data');
    mkdirSync(join(folder, one.name), { recursive: true });
    copyData(directory, data);
    one.damage(data, others);
    const outcome = `${JSON.stringify(one.outcome(format), null, 1)}\n`;
    writeFileSync(join(folder, one.name, 'expected.json'), outcome);
  }
}

const format = Number(process.argv[2]);
if (!Number.isInteger(format) || format < 1) throw new Error('which format? npm run golden -- 4');
try {
  await make(format);
} finally {
  removeDirectories();
}
