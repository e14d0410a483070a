/** What the tests of the models expect of a search. */
import { assert } from 'chai';

import { explore, type Fields, type Model } from './explore.js';

/** SERIESDB_LARGE_MODELS=1 adds searches that take minutes. */
export const isLarge = process.env['SERIESDB_LARGE_MODELS'] === '1';
export const largeTimeoutMs = 600_000;

interface Coverage {
  /** A search with fewer states explored too little to prove anything. */
  readonly states: number;
  /** The situations that the search must meet. */
  readonly meets?: readonly string[];
}

export function assertHolds<State extends Fields>(
  model: Model<State, string>,
  { states, meets = [] }: Coverage,
): void {
  const { violation, path, stateCount, unmet } = explore(model);
  assert.isNull(violation, `${violation?.what ?? ''} after: ${path.join('; ')}`);
  assert.isAtLeast(stateCount, states, `${stateCount} states`);
  for (const situation of meets) {
    assert.property(model.situations, situation);
    assert.notInclude(unmet, situation);
  }
}

interface Expected<Kind extends string> {
  readonly kind: Kind;
  /** Parts of the steps of the shortest path, in order. */
  readonly steps?: readonly string[];
}

export function assertCaught<State extends Fields, Kind extends string>(
  model: Model<State, Kind>,
  { kind, steps = [] }: Expected<Kind>,
): void {
  const { violation, path, stateCount } = explore(model);
  assert.isNotNull(violation, `no violation in ${stateCount} states`);
  const text = path.join('; ');
  assert.strictEqual(violation.kind, kind, `${violation.what} after: ${text}`);
  let from = 0;
  for (const step of steps) {
    const at = text.indexOf(step, from);
    assert.isAtLeast(at, 0, `"${step}" is missing in: ${text}`);
    from = at + step.length;
  }
}
