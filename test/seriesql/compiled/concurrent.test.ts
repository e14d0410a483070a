import { assert } from 'chai';

import { AppError } from '../../../src/common/errors/app-error.js';
import { Guard } from '../../../src/query/limits/guard.js';
import { printResult } from '../../../src/query/seriesql/result/format.js';
import { removeDirectories } from '../../native/addon.js';
import { Random, testSeed } from '../../support/random.js';

import { Engines, limits } from './engines.js';
import { randomDelete, randomLines, randomQuery } from './query-maker.js';
import { randomStorage } from './worlds.js';

import type { Storage } from '../../../src/storage/storage.js';

const clients = 8;
const turnsOfClient = 60;
/** The allowed errors of a random query, and the code of an abandoned one. */
const expected = [
  ...['ok', 'execution_error', 'ambiguous_selector', 'series_not_found', 'validation_failed'],
  // A FILL grows with samples that are stored meanwhile.
  'query_limit_exceeded',
];

async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'ok';
  } catch (error) {
    assert.instanceOf(error, AppError);
    return error.code;
  }
}

/** Reads the whole answer, whose text must be JSON. */
async function readAll(engines: Engines, text: string, guard: Guard): Promise<void> {
  const pieces: Uint8Array[] = [];
  const query = await engines.start(text, 'compiled', 'json', guard);
  for await (const piece of printResult(query, 'json')) pieces.push(piece);
  JSON.parse(Buffer.concat(pieces).toString());
}

/** Reads some of the rows, with either engine, and goes. */
async function readSome(
  engines: Engines,
  text: string,
  { random, guard }: { readonly random: Random; readonly guard: Guard },
): Promise<void> {
  const mode = random.pick(['compiled', 'legacy', 'shadow'] as const);
  const query = await engines.start(text, mode, null, guard);
  let left = random.below(3);
  for await (const rows of query.rows) if (rows.length === 0 || left-- === 0) break;
}

async function takeTurn(storage: Storage, engines: Engines, random: Random): Promise<void> {
  if (random.chance(0.05)) await storage.flush();
  if (random.chance(0.1)) {
    const request = storage.beginIngest({ precision: 'ms', isLenient: false });
    request.write(Buffer.from(randomLines(random)));
    await request.commit();
  }
  const text = (random.chance(0.05) ? randomDelete(random) : randomQuery(random)).replaceAll(
    'by_id(?)',
    'by_id(77)',
  );
  const guard = new Guard(limits);
  if (random.chance(0.3)) {
    setTimeout(() => {
      guard.cancel();
    }, random.below(5));
  }
  const work = random.chance(0.3)
    ? readSome(engines, text, { random, guard })
    : readAll(engines, text, guard);
  assert.include(expected, await codeOf(work), text);
}

describe('queries at the same time', () => {
  after(removeDirectories);

  it(`beside deletions, flushes and clients that leave, seed ${testSeed}`, async function () {
    this.timeout(60_000);
    const random = new Random(testSeed);
    const storage = await randomStorage(random);
    const engines = new Engines(storage);
    const work = Array.from({ length: clients }, async (_, client) => {
      const own = new Random(testSeed + 1 + client);
      for (let turn = 0; turn < turnsOfClient; turn++) await takeTurn(storage, engines, own);
    });
    await Promise.all(work);
    // Queries that run when the storage closes end too.
    const last = Array.from({ length: clients }, () =>
      codeOf(readAll(engines, 'select sum(value) from cpu.* where time > 0', new Guard(limits))),
    );
    await storage.close();
    for (const code of await Promise.all(last)) assert.include([...expected, 'closed'], code);
  });
});
