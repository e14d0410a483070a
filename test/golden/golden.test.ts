/** Directories of every format that there was, whole and damaged, come to what stands beside. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { assert } from 'chai';

import { openNativeStorage } from '../../src/storage/native-storage.js';
import {
  addon,
  addonPath,
  compact,
  freshDirectory,
  optionsFor,
  removeDirectories,
} from '../native/addon.js';
import { Engines } from '../seriesql/compiled/engines.js';
import { cases } from './cases.js';
import { dayMs, drain, GoldenDatabase, type ReadMode } from './engine.js';
import { keptFormats } from './formats.js';

import type { Opened, Outcome, Outcomes, Refused } from './outcome.js';

const folder = join('test', 'golden');

function namesIn(path: string): readonly string[] {
  return readdirSync(path).sort();
}

/** Every file below with its content. */
function contentsOf(directory: string): ReadonlyMap<string, string> {
  const files = namesIn(directory).flatMap((name) => {
    const path = join(directory, name);
    if (statSync(path).isDirectory()) return [...contentsOf(path)];
    return name === 'LOCK' ? [] : [[path, readFileSync(path, 'hex')] as const];
  });
  return new Map(files);
}

async function caught(promise: Promise<unknown>): Promise<{ code: string; message: string }> {
  try {
    await promise;
  } catch (error) {
    assert.instanceOf(error, Error);
    return { code: 'code' in error ? String(error.code) : error.name, message: error.message };
  }
  return { code: 'none', message: 'it succeeded' };
}

function assertSays(message: string, says: readonly string[]): void {
  for (const part of says) assert.include(message, part);
}

async function expectRefused(database: GoldenDatabase, outcome: Refused): Promise<void> {
  const before = contentsOf(database.directory);
  // Twice, since nothing of the evidence may be cut or removed by a start that comes to nothing.
  for (let start = 0; start < 2; start += 1) {
    const { code, message } = await caught(database.open());
    assert.equal(code, outcome.code, message);
    assertSays(message, outcome.says);
    assert.deepEqual(contentsOf(database.directory), before);
  }
}

async function expectContent(database: GoldenDatabase, outcome: Opened): Promise<void> {
  const { from, lost, samples } = outcome;
  const expectCorrupt = async (read: Promise<unknown>, says: readonly string[]): Promise<void> => {
    const { code, message } = await caught(read);
    assert.equal(code, 'storage_corrupt', message);
    assertSays(message, says);
  };
  for (const [metric, expected] of Object.entries(samples)) {
    const read = database.samplesOf(metric, from);
    if ('says' in expected) await expectCorrupt(read, expected.says);
    else assert.deepEqual(await read, expected, metric);
    if (lost !== undefined) await expectCorrupt(database.samplesOf(metric, null), lost);
  }
  for (const [metric, sum] of Object.entries(outcome.sums ?? {})) {
    assert.strictEqual(await database.sumOf(metric, from), sum, metric);
  }
  for (const [metric, bits] of Object.entries(outcome.bits ?? {})) {
    assert.deepEqual(await database.specialBitsOf(metric), bits, metric);
  }
  const notes = await database.notes();
  assert.lengthOf(Object.keys(notes), outcome.annotations);
  if (outcome.notes !== undefined) assert.deepEqual(notes, outcome.notes);
}

/** Of both of SeriesQL's engines. */
async function expectAnswers(
  directory: string,
  answers: Readonly<Record<string, string>>,
): Promise<void> {
  const storage = await openNativeStorage(optionsFor(directory), addonPath);
  const engines = new Engines(storage);
  for (const [statement, expected] of Object.entries(answers)) {
    for (const mode of ['compiled', 'legacy'] as const) {
      const printed = await engines.print(statement, 'ndjson', false, mode);
      assert.strictEqual(printed, expected, `${mode}: ${statement}`);
    }
  }
  await storage.close();
}

async function expectOpened(database: GoldenDatabase, outcome: Opened): Promise<void> {
  const { answers } = outcome;
  if (answers !== undefined) await expectAnswers(database.directory, answers);
  await database.open();
  const reasons = database.engine.stats().degraded;
  assert.equal(reasons.length, outcome.reasons.length, reasons.join('; '));
  outcome.reasons.forEach((says, at) => {
    assertSays(reasons[at] ?? '', says);
  });
  await expectContent(database, outcome);
  await database.close();
  // And it goes on from there.
  await database.open();
  await database.ingest(['later'], 5 * dayMs, 3);
  await database.engine.maintain('flush');
  await expectContent(database, outcome);
  await database.close();
  await database.open();
  await expectContent(database, outcome);
  assert.lengthOf(await database.samplesOf('later', outcome.from), 3);
  // What can be merged is; where a segment is damaged, that is said.
  const compacting = compact(database.engine);
  if (Object.values(outcome.samples).some((one) => 'says' in one)) await caught(compacting);
  else await compacting;
  await expectContent(database, outcome);
  await database.close();
  await database.open();
  await expectContent(database, outcome);
  await database.close();
  if (answers !== undefined) await expectAnswers(database.directory, answers);
}

describe('golden directories', () => {
  // Each takes the room of its reserve.
  afterEach(removeDirectories);

  const formats = namesIn(folder).filter((name) => name.startsWith('format-'));

  it('are those of each format that is kept, and of each every case that it has', () => {
    assert.sameMembers(
      [...formats],
      keptFormats.map((format) => `format-${String(format)}`),
    );
    for (const format of keptFormats) {
      const known = cases.filter(({ since = 0 }) => since <= format).map(({ name }) => name);
      const folders = namesIn(join(folder, `format-${String(format)}`));
      assert.sameMembers([...folders], known, String(format));
    }
  });

  for (const format of formats) {
    for (const name of namesIn(join(folder, format))) {
      const kept = join(folder, format, name);
      const expected = readFileSync(join(kept, 'expected.json'), 'utf8');
      for (const [mode, outcome] of outcomesOf(JSON.parse(expected) as Outcome | Outcomes)) {
        it(`${format}: ${name}, ${mode}`, async () => {
          const directory = join(freshDirectory(), 'data');
          cpSync(join(kept, 'data'), directory, { recursive: true });
          for (const needed of ['wal', 'segments']) {
            if (!existsSync(join(directory, needed))) mkdirSync(join(directory, needed));
          }
          const database = new GoldenDatabase(directory, [], mode);
          await (outcome.opens
            ? expectOpened(database, outcome)
            : expectRefused(database, outcome));
        });
      }
    }
    const backup = join(folder, format, 'backup', 'data');
    if (!existsSync(backup)) continue;
    for (const snapshot of [null, 'one']) {
      it(`${format}: backup, restored ${snapshot ?? 'as it is'}`, async () => {
        const expected = readFileSync(join(folder, format, 'whole', 'expected.json'), 'utf8');
        const target = join(freshDirectory(), 'data');
        const request = { report: 'restore', directory: backup, target, snapshot } as const;
        assert.include(await drain(addon.openReport(request)), '"kind":"end","status":"ok"');
        const { primary } = JSON.parse(expected) as Outcomes;
        if (!primary.opens) throw new Error('whole does not open');
        await expectOpened(new GoldenDatabase(target), primary);
      });
    }
  }
});

/** In each mode, where there are commits; before, all of them believe MANIFEST. */
function outcomesOf(expected: Outcome | Outcomes): readonly (readonly [ReadMode, Outcome])[] {
  if (!('legacy' in expected)) return [['primary', expected]];
  const { legacy, primary } = expected;
  return [
    ['legacy', legacy],
    ['shadow', legacy],
    ['primary', primary],
  ];
}
