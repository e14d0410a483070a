/** `seriesdb self-test`: runs the tests one by one, and prints each result when it is known. */

import { mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';

import { CommandFailure } from '../session/failure.js';
import { writeReasonOf } from '../session/file-reason.js';
import { testCodec } from './test-codec.js';
import { writeFinding } from './write-finding.js';
import { testClock, testDisk, testLimits, testLoopback, tellMachine } from './test-machine.js';

import type { Terminal } from '../session/terminal.js';
import type { TestFinding } from '../../common/model/finding.js';
import type { TestPlace } from './test-place.js';

const tests: readonly (readonly [
  string,
  (place: TestPlace) => Promise<TestFinding> | TestFinding,
])[] = [
  ['machine', tellMachine],
  ['clock', testClock],
  ['limits', testLimits],
  ['loopback', testLoopback],
  ['disk', testDisk],
  ['codec', testCodec],
];

interface SelfTestOptions extends Omit<TestPlace, 'folder'> {
  readonly terminal: Terminal;
  readonly directory: string;
  readonly isJson: boolean;
}

/** False if a test failed. Rejects with CommandFailure if the folder cannot be written. */
export async function selfTest(options: SelfTestOptions): Promise<boolean> {
  const { terminal, directory, isJson, directories, signal } = options;
  const folder = folderIn(directory);
  let failedCount = 0;
  try {
    for (const [name, test] of tests) {
      signal.throwIfAborted();
      const finding = await found(() => test({ folder, directories, signal }));
      if (finding.verdict === 'failed') failedCount += 1;
      writeFinding(terminal, { test: name, ...finding }, isJson);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return failedCount === 0;
}

function folderIn(directory: string): string {
  try {
    return mkdtempSync(path.join(directory, 'seriesdb-self-test-'));
  } catch (error) {
    throw new CommandFailure(`cannot write in ${directory}: ${writeReasonOf(error)}`);
  }
}

/** A test that throws has failed; the next ones still run. */
async function found(test: () => Promise<TestFinding> | TestFinding): Promise<TestFinding> {
  try {
    return await test();
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    return { verdict: 'failed', text: error instanceof Error ? error.message : String(error) };
  }
}
