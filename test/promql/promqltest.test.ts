/** Prometheus' own scripts, from the data beside the repository, over the HTTP API. */
import { readdirSync, readFileSync } from 'node:fs';

import { expect } from 'chai';

import { rootFolder as root } from '../support/page-session.js';
import { needsNative } from './scripts/histograms.js';
import { judge, judgeAround } from './scripts/judge.js';
import { aroundOf, questionOf, readScript, type EvalStep } from './scripts/script.js';
import { World, type PromAnswer } from './scripts/world.js';

const folder = `${root}../shared/data/promqltest`;
/** Cases of all scripts that need no native histograms. */
const kFloatCases = 849;

/** Instant cases that are also evaluated as a range. */
const kRangeCases = 775;

let floatCount = 0;
let rangeCount = 0;

for (const file of readdirSync(folder).filter((name) => name.endsWith('.test'))) {
  it(`passes ${file}`, async function () {
    this.timeout(120_000);
    const failures: string[] = [];
    let world = await World.open();
    for (const step of readScript(readFileSync(`${folder}/${file}`, 'utf8'))) {
      if (step.kind === 'clear') {
        await world.close();
        world = await World.open();
      } else if (step.kind === 'load') {
        await world.load(step);
      } else {
        failures.push(...(await failureOf(world, step)));
      }
    }
    await world.close();
    expect(failures, failures.join('\n')).to.deep.equal([]);
  });
}

after(() => {
  expect(floatCount).to.be.at.least(kFloatCases);
  expect(rangeCount).to.be.at.least(kRangeCases);
});

async function failureOf(world: World, step: EvalStep): Promise<readonly string[]> {
  if (needsNative(step, world.natives)) return [];
  floatCount += 1;
  try {
    const answer = await world.ask(...questionOf(step));
    judge(step, answer);
    if (mayBeRange(step, answer)) {
      rangeCount += 1;
      judgeAround(step, await world.ask(...questionOf(aroundOf(step))));
    }
    return [];
  } catch (error) {
    return [`line ${step.line}: ${step.expression}: ${String(error).slice(0, 500)}`];
  }
}

/** Scalars and strings are not evaluated as ranges. A range orders its rows by labels. */
function mayBeRange({ stepMs, isOrdered }: EvalStep, { body }: PromAnswer): boolean {
  const type = body.data?.resultType;
  return stepMs === null && !isOrdered && type !== 'matrix' && type !== 'string';
}
