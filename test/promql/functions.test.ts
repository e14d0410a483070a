/** Runs the examples of functions that docs/promql.md lists. */
import { readFileSync } from 'node:fs';

import { assert } from 'chai';

import { promqlList } from '../../src/query/promql/functions/promql-list.js';
import { readScript } from './scripts/script.js';
import { World } from './scripts/world.js';

const page = readFileSync(new URL('../../../docs/promql.md', import.meta.url), 'utf8');
const load = /^```load\n([\s\S]*?)^```$/m.exec(page)?.[1] ?? '';
const kAt = 600;

interface Element {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [number, string];
}

/** The answer in the notation of Prometheus' tests. */
async function answered(world: World, query: string): Promise<string> {
  const { body } = await world.ask('/api/v1/query', { query, time: String(kAt) });
  if (body.status === 'error') return 'refused';
  if (body.data?.resultType === 'scalar') return (body.data.result as Element['value'])[1];
  return (body.data?.result as readonly Element[]).map(written).join(', ');
}

function written({ metric, value: [, text] }: Element): string {
  const { __name__: name = '', ...labels } = metric;
  const pairs = Object.entries(labels).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  return `${name}{${pairs.join(', ')}} ${text}`;
}

describe('PromQL functions', () => {
  let world: World;

  before(async () => {
    world = await World.open();
    for (const step of readScript(load)) if (step.kind === 'load') await world.load(step);
  });
  after(async () => {
    await world.close();
  });

  for (const { name, sentence, example, answer } of promqlList) {
    it(`${name} answers its example`, async () => {
      assert.include(example, `${name}(`);
      assert.match(sentence, /^[^.].*\.$/);
      assert.strictEqual(await answered(world, example), answer, example);
    });
  }
});
