/** Runs the examples of docs/promql.md, which are test scripts. */
import { readFileSync } from 'node:fs';

import { expect } from 'chai';

import { judge } from './scripts/judge.js';
import { questionOf, readScript } from './scripts/script.js';
import { World } from './scripts/world.js';

const page = readFileSync(new URL('../../../docs/promql.md', import.meta.url), 'utf8');
const blocks = [...page.matchAll(/^```promql\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text);

describe('docs/promql.md', () => {
  it('has examples', () => {
    expect(blocks.length).to.be.at.least(4);
  });

  for (const [place, block] of blocks.entries()) {
    it(`shows the true answers in block ${place + 1}`, async () => {
      const world = await World.open();
      for (const step of readScript(block)) {
        if (step.kind === 'load') await world.load(step);
        if (step.kind === 'eval') judge(step, await world.ask(...questionOf(step)));
      }
      await world.close();
    });
  }
});
