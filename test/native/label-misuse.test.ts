/** Labels that are not pairs of texts, at every place that takes labels. */
import { inspect } from 'node:util';

import { assert } from 'chai';

import { databaseTime } from '../../src/common/model/timestamp-unit.js';
import { duringSuite, rejectedBy, strict, thrownBy } from './addon.js';

import type { NativeEngine } from '../../src/storage/native/contract.js';

// Arbitrary JavaScript values, which the types exclude.
const wrong = [null, true, 1, 'key', 1n, {}, ['key'], ['key', 1], [undefined, 'x']] as unknown[];

describe('wrong labels of the addon', () => {
  let engine: NativeEngine;
  duringSuite((opened) => {
    engine = opened;
  });

  const span = { start: databaseTime(0n), end: databaseTime(1n) };
  const filter = { namePrefix: null, names: null, terms: [], isAny: false };
  const found = { labelKey: '', valuePrefix: '', limit: 1, inactiveBefore: null };
  const notes = { kind: null, metric: null, labels: [], isAnyLabel: false, limit: null, ...span };

  for (const labels of wrong as (readonly string[])[]) {
    it(`are rejected: ${inspect(labels)}`, async () => {
      const required = labels;
      const calls = [
        () => engine.beginIngest({ ...strict, required }),
        () => engine.openAnswer({ answer: 'range', selector: { seriesId: 1n, required }, ...span }),
        () => engine.openAnswer({ answer: 'series', filter: { ...filter, required }, ...found }),
        () => engine.openAnswer({ answer: 'annotations', ...notes, required }),
      ];
      for (const call of calls) assert.strictEqual(thrownBy(call), 'invalid_argument');
      const erased = engine.change({ change: 'deletion', id: 1n, required });
      assert.strictEqual(await rejectedBy(() => erased), 'invalid_argument');
    });
  }
});
