import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

import { assert } from 'chai';

import {
  addon,
  freshDirectory,
  ingest,
  openAll,
  optionsFor,
  readAll,
  removeDirectories,
} from './addon.js';
import { Random, testSeed } from '../support/random.js';

const program = new URL('./abandon.js', import.meta.url);
const kept = 2000; // Samples that abandon.ts has acknowledged.
const roundCount = 4;

async function runChild(way: string, directory: string): Promise<void> {
  const args = ['--expose-gc', program.pathname, way, directory];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  assert.deepEqual({ code, signal, output }, { code: 0, signal: null, output: '' });
}

/** Terminates a worker in the middle of its work, and waits until it is gone. */
async function runWorker(way: string, directory: string, pauseMs: number): Promise<void> {
  const worker = new Worker(program, { workerData: [way, directory] });
  const gone = once(worker, 'exit');
  await once(worker, 'message');
  if (way !== 'exiting') {
    await sleep(pauseMs);
    await worker.terminate();
  }
  await gone;
}

async function expectKept(directory: string): Promise<void> {
  const engine = await addon.openEngine(optionsFor(directory));
  assert.lengthOf(await readAll(openAll(engine)), kept);
  await engine.close();
}

describe('abandoned engines', () => {
  after(removeDirectories);

  for (const way of ['idle', 'busy', 'failing', 'opening', 'closing', 'exiting']) {
    it(`survives the end of a worker: ${way} (seed ${testSeed})`, async () => {
      const random = new Random(testSeed);
      for (let round = 0; round < roundCount; round++) {
        const directory = freshDirectory();
        await runWorker(way, directory, random.below(30));
        if (way === 'opening') continue;
        await expectKept(directory);
        await expectKept(`${directory}/second`);
      }
    });
  }

  it(`continues without a worker that had joined it (seed ${testSeed})`, async () => {
    const random = new Random(testSeed);
    const directory = freshDirectory();
    const engine = await addon.openEngine(optionsFor(directory, { listeners: 2 }));
    assert.strictEqual(engine.share(), engine.share());
    for (let round = 0; round < 2 * roundCount; round++) {
      const reading = readAll(openAll(engine));
      await runWorker('joined', String(engine.share()), random.below(30));
      await reading;
    }
    await ingest(engine, 0, kept);
    const own = addon.joinEngine(engine.share());
    await own.close();
    assert.throws(() => own.stats(), /closed/);
    assert.lengthOf(await readAll(openAll(engine)), kept);
    const share = engine.share();
    await engine.close();
    await expectKept(directory);
    assert.throws(() => addon.joinEngine(share + 1), /closed/);
  });

  it('lets a process exit with open engines and running work', async () => {
    const directory = freshDirectory();
    await runChild('exiting', directory);
    await expectKept(directory);
  });

  it('does not keep a process alive for an idle engine', async () => {
    const directory = freshDirectory();
    await runChild('returning', directory);
    await expectKept(directory);
  });

  it('frees the memory of collected requests', async () => {
    await runChild('drop requests', freshDirectory());
  });

  it('frees a reader at the exit, long after its engine', async () => {
    await runChild('keep reader', freshDirectory());
  });

  it('settles the running work of an unreferenced engine, then frees it', async () => {
    await runChild('drop engine', freshDirectory());
  });
});
