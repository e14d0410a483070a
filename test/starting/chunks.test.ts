/** Program chunks behave as their text says, with any code cache. */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { assert } from 'chai';

import { Chunks } from '../../src/server/starting/chunks.js';
import { removeDirectory, temporaryDirectory } from '../support/server.js';

const kEntry = 'entry.cjs';

describe('chunks of the program', () => {
  let folder = '';
  const place = (name: string, text: string): void => {
    writeFileSync(path.join(folder, name), text);
  };
  const load = (): unknown => new Chunks(`${folder}/`).load(kEntry);
  const keptFile = (): string => {
    const [name] = readdirSync(folder).filter((one) => one.startsWith('compiled-'));
    if (name === undefined) throw new Error('no code is kept');
    return path.join(folder, name);
  };

  beforeEach(() => {
    folder = temporaryDirectory();
    place(kEntry, "const { one } = require('./other.cjs'); exports.answer = () => one() + 1;");
    place('other.cjs', "exports.one = () => require('node:path').join('/a', 'b').length;");
  });
  afterEach(() => {
    removeDirectory(folder);
  });

  /** Runs the current text, and stores its code cache. */
  function keep(): void {
    const chunks = new Chunks(`${folder}/`);
    assert.strictEqual(answerOf(chunks.load(kEntry)), 5);
    chunks.keep('beside');
  }

  it('load one another and modules, once each', () => {
    const chunks = new Chunks(`${folder}/`);
    assert.strictEqual(answerOf(chunks.load(kEntry)), 5);
    assert.strictEqual(chunks.load(kEntry), chunks.load(kEntry));
  });

  it('run from the code cache', () => {
    keep();
    assert.isAbove(readFileSync(keptFile()).length, 100);
    assert.strictEqual(answerOf(load()), 5);
  });

  it('run their new text after a change of equal length', () => {
    keep();
    place(kEntry, "const { one } = require('./other.cjs'); exports.answer = () => one() + 7;");
    assert.strictEqual(answerOf(load()), 11);
  });

  it('tell if a text has changed since its code was kept, as after an upgrade', () => {
    const hasKept = (): boolean => {
      const chunks = new Chunks(`${folder}/`);
      chunks.load(kEntry);
      return chunks.hasKept;
    };
    assert.isFalse(hasKept());
    keep();
    assert.isTrue(hasKept());
    place('other.cjs', 'exports.one = () => 5;');
    assert.isFalse(hasKept());
  });

  it('run when any byte of the code cache is corrupted', () => {
    keep();
    const kept = readFileSync(keptFile());
    for (let at = 0; at < kept.length; at += 61) {
      const altered = Buffer.from(kept);
      altered[at] = (kept[at] ?? 0) ^ 0x55;
      writeFileSync(keptFile(), altered);
      assert.strictEqual(answerOf(load()), 5, `byte ${String(at)}`);
    }
  });

  it('run when the code cache is truncated', () => {
    keep();
    const kept = readFileSync(keptFile());
    for (const size of [0, 3, 31, 32, 35, 36, 100, kept.length - 1]) {
      writeFileSync(keptFile(), kept.subarray(0, size));
      assert.strictEqual(answerOf(load()), 5, `${String(size)} bytes`);
    }
  });

  it('run uncached if they are not one byte per character', () => {
    place('other.cjs', "exports.one = () => 'äöü€'.length;");
    keep();
    assert.strictEqual(answerOf(load()), 5);
  });
});

function answerOf(exported: unknown): unknown {
  return (exported as { readonly answer: () => number }).answer();
}
