import { expect } from 'chai';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { MemoryTarget } from '../support/memory-target.js';
import { play, readTranscript, writeTranscript } from '../support/transcript.js';

// Compiled tests run below dist; the transcripts stay where they are written.
const folder = fileURLToPath(new URL('../../../test/transcripts/query', import.meta.url));
const isRewriting = process.env['SDB_REWRITE'] !== undefined;

describe('query transcripts', () => {
  const files = readdirSync(folder).filter((name) => name.endsWith('.txt'));

  for (const name of files) {
    const file = path.join(folder, name);
    describe(name, () => {
      const target = new MemoryTarget();
      const cases = readTranscript(file);
      const written: (typeof cases)[number][] = [];
      for (const one of cases) {
        it(`${one.line}: ${one.command.replaceAll('\n', ' ').slice(0, 100)}`, async () => {
          const answer = await play(one.command, target);
          written.push({ ...one, expected: answer });
          if (!isRewriting) expect(answer).to.equal(one.expected);
        });
      }
      after(() => {
        if (isRewriting) writeTranscript(file, written);
      });
    });
  }

  it('are at least 300', () => {
    const count = files.reduce(
      (sum, name) => sum + readTranscript(path.join(folder, name)).length,
      0,
    );
    expect(count).to.be.greaterThan(300);
  });
});
