/** The lock of scripts/setup, with several processes that set up one clone at once. */
import { spawn, type ChildProcess } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { assert } from 'chai';

import { removeDirectory, temporaryDirectory } from '../support/server.js';

const lockScript = new URL('../../../scripts/setup/lock.mjs', import.meta.url).href;

/** Records its begin and its end, with a short pause between. */
const program = `
import { appendFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
const [, script, lock, log, ms] = process.argv;
const { alone } = await import(script);
await alone(async () => {
  appendFileSync(log, 'begin ' + process.pid + '\\n');
  await delay(Number(ms));
  appendFileSync(log, 'end ' + process.pid + '\\n');
}, lock);
`;

interface Ended {
  readonly pid: number;
  readonly code: number | null;
  readonly printed: string;
}

describe('the setup lock', function () {
  this.timeout(60_000);
  let folder = '';
  let lock = '';
  let log = '';
  const children = new Set<ChildProcess>();

  beforeEach(() => {
    folder = temporaryDirectory();
    lock = path.join(folder, 'build', 'setup.lock');
    log = path.join(folder, 'log');
    appendFileSync(log, '');
  });
  afterEach(() => {
    for (const child of children) child.kill('SIGKILL');
    children.clear();
    removeDirectory(folder);
  });

  function start(ms: number): { readonly child: ChildProcess; readonly ended: Promise<Ended> } {
    const args = ['--input-type=module', '-e', program, lockScript, lock, log, String(ms)];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    children.add(child);
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
    const ended = new Promise<Ended>((resolve) => {
      child.on('close', (code) => {
        resolve({ pid: child.pid ?? 0, code, printed });
      });
    });
    return { child, ended };
  }

  const noted = (): readonly string[] => readFileSync(log, 'utf8').split('\n').filter(Boolean);

  async function begun(): Promise<void> {
    while (noted().length === 0) await delay(20);
  }

  /** Each process ended before the next one began. */
  function assertOneAtATime(pids: readonly number[]): void {
    const lines = noted();
    const order = lines.filter((_, at) => at % 2 === 0).map((line) => line.replace('begin ', ''));
    assert.sameMembers(order, pids.map(String));
    assert.deepEqual(
      lines,
      order.flatMap((pid) => [`begin ${pid}`, `end ${pid}`]),
    );
  }

  it('admits one process at a time, and reports the holder to the others', async () => {
    const first = start(1000);
    await begun();
    const second = start(0);
    const ends = await Promise.all([first.ended, second.ended]);
    assert.deepEqual([ends[0].code, ends[1].code, ends[0].printed], [0, 0, '']);
    assert.include(ends[1].printed, `Process ${String(ends[0].pid)} sets this clone up`);
    assertOneAtATime(ends.map(({ pid }) => pid));
    assert.isFalse(existsSync(lock));
  });

  it('of a killed process is taken over by exactly one of many', async () => {
    const killed = start(60_000);
    await begun();
    killed.child.kill('SIGKILL');
    await killed.ended;
    assert.isTrue(existsSync(lock));
    writeFileSync(log, '');
    const ends = await Promise.all(Array.from({ length: 5 }, () => start(20).ended));
    assertOneAtATime(ends.map(({ pid }) => pid));
    assert.isFalse(existsSync(lock));
  });

  it('is stale if its process id was reused, or if its content is invalid', async () => {
    await start(0).ended;
    for (const text of [`${os.hostname()} ${String(process.pid)} 1`, '', 'no lock']) {
      writeFileSync(lock, text);
      const { code, printed } = await start(0).ended;
      assert.deepEqual([code, printed], [0, ''], text);
    }
  });
});
