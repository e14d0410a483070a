/**
 * `npm run golden -- FORMAT`: makes the golden directories anew, of the format that this build
 * writes, below test/golden/format-FORMAT.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { databaseTime } from '../../src/common/model/timestamp-unit.js';
import { addon, compact, freshDirectory, removeDirectories } from '../native/addon.js';
import { copyData, type Others } from './case.js';
import { cases, halfDigit, longValue, tenth } from './cases.js';
import { dayMs, drain, GoldenDatabase } from './engine.js';
import { commitFormat, keptFormats } from './formats.js';
import { specialParts } from './special-case.js';

import type { Outcomes } from './outcome.js';

/** Segments of two flushes with a deletion, and a log of three runs. */
async function makeWhole(): Promise<{ directory: string; earlierManifest: Buffer }> {
  const database = new GoldenDatabase();
  await database.open();
  await database.ingest(['a', 'b'], 0, 10);
  await database.annotate('first');
  await database.engine.maintain('flush');
  const earlierManifest = readFileSync(join(database.directory, 'MANIFEST'));
  await database.remove('a', 2n, 3n);
  await database.ingest(['a', 'b', 'e'], dayMs, 10);
  await database.ingest(['f'], dayMs, 10, tenth);
  await database.ingest(['f'], 2 * dayMs, 1, halfDigit);
  await database.engine.maintain('flush');
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
    await database.engine.maintain('flush');
  }
  await database.close();
  return database.directory;
}

/** Its clock of retention has let go the first samples of `a`. */
async function makeRetained(): Promise<string> {
  const database = new GoldenDatabase(undefined, [
    { match: 'a*', labels: [], keep: databaseTime(BigInt(30 * dayMs)) },
  ]);
  await database.open();
  await database.ingest(['a', 'b'], 0, 10);
  await database.ingest(['a'], 40 * dayMs, 10);
  await database.engine.maintain('flush');
  await compact(database.engine);
  await database.close();
  return database.directory;
}

/** Each series in both of its segments. */
async function makeMerged(): Promise<string> {
  const database = new GoldenDatabase();
  await database.open();
  for (const half of [0, 1]) {
    for (let ts = half * 200; ts < half * 200 + 200; ts += 1) {
      await database.ingest(['a'], ts, 1, longValue(ts));
    }
    await database.ingest(['b'], half * 100, 10);
    await database.engine.maintain('flush');
  }
  await compact(database.engine);
  await database.close();
  return database.directory;
}

/** Series went, which a limit asks for, and the index was made anew; one of them came back. */
async function makeRenewed(): Promise<string> {
  const database = new GoldenDatabase(undefined, [], 'primary', 5);
  await database.open();
  await database.ingest(['a', 'b', 'c', 'd', 'e'], 0, 10);
  await database.engine.maintain('flush');
  await database.ingest(['f'], 0, 10).catch(() => undefined);
  for (const metric of ['b', 'c', 'd', 'e']) await database.remove(metric, 0n, 100n);
  while (!(await database.ingest(['f'], 0, 10).then(yes, no))) await pause(50);
  await database.ingest(['c'], 50, 5);
  await database.engine.maintain('flush');
  await compact(database.engine);
  await database.close();
  return database.directory;
}

/** Flushes with notes, with what changes and deletes them, and a log with more of both. */
async function makeNoted(): Promise<string> {
  const database = new GoldenDatabase();
  await database.open();
  await database.ingest(['a'], 0, 10);
  for (const title of ['first', 'second', 'third', 'fourth']) await database.annotate(title);
  await database.engine.maintain('flush');
  await database.annotate('first, changed', 1n);
  await database.deleteNote(2n);
  await database.engine.maintain('flush');
  await database.annotate('fifth');
  await database.engine.maintain('flush');
  await database.annotate('first, changed again', 1n);
  await database.annotate('third, changed', 3n);
  await database.deleteNote(4n);
  await database.deleteNote(3n);
  await database.close();
  return database.directory;
}

/** Chunks of a merge and of a flush, and what is in the log. */
async function makeSpecial(): Promise<string> {
  const database = new GoldenDatabase();
  await database.open();
  const { merged, flushed, logged } = specialParts;
  for (const half of merged) {
    await database.receive(half);
    await database.engine.maintain('flush');
  }
  await compact(database.engine);
  await database.receive(flushed);
  await database.engine.maintain('flush');
  await database.receive(logged);
  await database.close();
  return database.directory;
}

const yes = (): boolean => true;
const no = (): boolean => false;

async function makeRestored(backup: string): Promise<string> {
  const target = join(freshDirectory(), 'data');
  const request = { report: 'restore', directory: backup, target, snapshot: null } as const;
  await drain(addon.openReport(request));
  return target;
}

/** Of all that is in segments, and with a snapshot. */
async function makeBackup(directory: string): Promise<string> {
  const data = join(freshDirectory(), 'data');
  copyData(directory, data);
  const database = new GoldenDatabase(data);
  await database.open();
  await database.engine.maintain('createSnapshot', 'one');
  const target = join(freshDirectory(), 'backup');
  await drain(database.engine.openAnswer({ answer: 'backup', target }));
  await database.close();
  return target;
}

async function make(format: number): Promise<void> {
  const { directory, earlierManifest } = await makeWhole();
  const renewed = await makeRenewed();
  const others: Others = {
    earlierManifest,
    foreign: await makeForeign(),
    retained: await makeRetained(),
    merged: await makeMerged(),
    backup: await makeBackup(directory),
    renewed,
    restored: await makeRestored(await makeBackup(renewed)),
    noted: await makeNoted(),
    special: await makeSpecial(),
  };
  const folder = join('test', 'golden', `format-${String(format)}`);
  rmSync(folder, { recursive: true, force: true });
  for (const one of cases) {
    if (format < (one.since ?? 0)) continue;
    const data = join(folder, one.name, 'data');
    mkdirSync(join(folder, one.name), { recursive: true });
    copyData(directory, data);
    one.damage(data, others);
    const legacy = one.outcome(format);
    const outcomes: Outcomes = { legacy, primary: one.fromCommit ?? legacy };
    const expected = `${JSON.stringify(format < commitFormat ? legacy : outcomes, null, 1)}\n`;
    writeFileSync(join(folder, one.name, 'expected.json'), expected);
  }
}

const format = Number(process.argv[2]);
if (!keptFormats.includes(format)) throw new Error('which format of test/golden/formats.ts?');
try {
  await make(format);
} finally {
  removeDirectories();
}
