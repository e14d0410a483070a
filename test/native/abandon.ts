/**
 * Leaves engines behind in every way a program can. `abandon.test.ts` runs it, as a child process
 * (arguments: way, directory) or as a worker (the same two as its data), and judges what remains.
 */
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { isMainThread, parentPort, workerData } from 'node:worker_threads';

import { type NativeEngine } from '../../src/storage/native/contract.js';

import { addon, commit, ingest, linesFrom, openAll, optionsFor, readAll, strict } from './addon.js';

const kept = 2000; // Samples acknowledged before the engine is left; the test knows.

/** Waits turns of the event loop until `isDone`, so that finalizers can run. */
async function collectUntil(isDone: () => boolean, what: string): Promise<void> {
  if (globalThis.gc === undefined) throw new Error('needs --expose-gc');
  for (let round = 0; round < 500; round++) {
    globalThis.gc();
    await turn();
    if (isDone()) return;
  }
  throw new Error(`${what} after 500 collections`);
}

/** Never returns; some request is always in progress. */
async function keepBusy(engine: NativeEngine): Promise<never> {
  for (;;) {
    await ingest(engine, 0, kept);
    await readAll(openAll(engine));
    await engine.maintain('flush');
  }
}

async function keepFailing(engine: NativeEngine): Promise<never> {
  for (;;) {
    const request = engine.beginIngest(strict);
    try {
      request.write(Buffer.from('no record\n'));
    } catch {
      await commit(request).catch(() => null);
    }
  }
}

async function keepOpening(directory: string, lane: number): Promise<never> {
  for (let count = 0; ; count++) {
    const options = optionsFor(`${directory}/${String(lane)}-${String(count)}`);
    const engine = await addon.openEngine(options);
    await engine.close();
  }
}

/** Drops thousands of requests with buffered bytes, without keeping a reference to any. */
function beginAndDrop(engine: NativeEngine): void {
  const partOfLine = linesFrom(0, 50).subarray(0, -5);
  for (let count = 0; count < 4000; count++) engine.beginIngest(strict).write(partOfLine);
}

async function dropRequests(directory: string): Promise<void> {
  const engine = await addon.openEngine(optionsFor(directory, { memoryLimitBytes: 2 ** 40 }));
  beginAndDrop(engine);
  const bytes = (): number | undefined => engine.stats().counts['request_bytes'];
  await collectUntil(() => bytes() === 0, `request_bytes is ${String(bytes())}`);
  await engine.close();
}

/** Starts a commit, then drops every reference to its engine and request. */
async function beginCommit(directory: string): Promise<{ promise: Promise<unknown> }> {
  const engine = await addon.openEngine(optionsFor(directory));
  const request = engine.beginIngest(strict);
  request.write(linesFrom(0, kept));
  return {
    promise: Promise.all([commit(request), engine.maintain('flush'), openAll(engine).next()]),
  };
}

async function dropEngine(directory: string): Promise<void> {
  let isSettled = false;
  const { promise } = await beginCommit(directory);
  void promise.then(() => (isSettled = true));
  await collectUntil(() => isSettled, 'the commit of a dropped engine has not settled');
  // The garbage collector takes the engine too, which releases the directory.
  let again: NativeEngine | null = null;
  for (let round = 0; again === null && round < 100; round++) {
    globalThis.gc?.();
    await turn();
    again = await addon.openEngine(optionsFor(directory)).catch(() => null);
  }
  if (again === null) throw new Error('the directory of a dropped engine is still locked');
  const samples = await readAll(openAll(again));
  if (samples.length !== kept) throw new Error(`${String(samples.length)} samples`);
  await again.close();
}

/** The reader outlives its engine, which is collected. The end of the process frees the reader. */
async function keepReader(directory: string): Promise<void> {
  const held = { reader: openAll(await addon.openEngine(optionsFor(directory))) };
  let again: NativeEngine | null = null;
  for (let round = 0; again === null && round < 100; round++) {
    globalThis.gc?.();
    await turn();
    again = await addon.openEngine(optionsFor(directory)).catch(() => null);
  }
  if (again === null) throw new Error('the directory of a dropped engine is still locked');
  await again.close();
  Object.assign(globalThis, held);
}

/** Joins an engine that the parent holds open; `share` replaces the directory argument. */
async function keepJoined(share: string): Promise<never> {
  const engine = addon.joinEngine(Number(share));
  parentPort?.postMessage('ready');
  return Promise.race([1, 2, 3].map(() => keepBusy(engine)));
}

async function leave(way: string, directory: string): Promise<void> {
  if (way === 'joined') return keepJoined(directory);
  if (way === 'drop requests') return dropRequests(directory);
  if (way === 'drop engine') return dropEngine(directory);
  if (way === 'keep reader') return keepReader(directory);
  if (way === 'opening') {
    parentPort?.postMessage('ready');
    return Promise.race([1, 2, 3, 4].map((lane) => keepOpening(directory, lane)));
  }
  const engine = await addon.openEngine(optionsFor(directory));
  const second = await addon.openEngine(optionsFor(`${directory}/second`));
  await ingest(engine, 0, kept);
  await ingest(second, 0, kept);
  parentPort?.postMessage('ready');
  if (way === 'busy') await Promise.race([1, 2, 3].map(() => keepBusy(engine)));
  if (way === 'failing') await keepFailing(engine);
  if (way === 'closing') void engine.close();
  if (way === 'exiting') {
    const request = engine.beginIngest(strict);
    request.write(linesFrom(0, kept));
    void commit(request);
    void second.maintain('flush');
    void openAll(engine).next();
    process.exit(0);
  }
  if (way === 'returning') return;
  await sleep(60_000);
}

const [way, directory] = isMainThread ? process.argv.slice(2) : (workerData as string[]);
if (way === undefined || directory === undefined) throw new Error('needs a way and a directory');
await leave(way, directory);
