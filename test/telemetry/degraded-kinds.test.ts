/** Kinds of reasons for being degraded: /metrics has a sample of each that the engine reports. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { assert } from 'chai';

import { degradedKinds } from '../../src/telemetry/metric-names.js';

/** The text of each constant, and of each topic that stands in the call. */
function topicsIn(source: string): readonly string[] {
  const named = source.matchAll(/k\w*(?:Topic|SegmentKind) = "(\w+)"/g);
  const inPlace = source.matchAll(/health\.report\("(\w+)"/g);
  return [...named, ...inPlace].flatMap((match) => match[1] ?? []);
}

describe('the kinds of reasons for being degraded', () => {
  it('are those that the engine reports, damaged chunks, connections and the bucket', () => {
    const found = new Set(['bucket', 'connections', 'damaged_chunk']);
    for (const file of readdirSync('native', { recursive: true, encoding: 'utf8' })) {
      if (!/\.(cc|h)$/.test(file)) continue;
      const source = readFileSync(path.join('native', file), 'utf8');
      for (const topic of topicsIn(source)) found.add(topic);
    }
    assert.deepEqual([...found].sort(), [...degradedKinds]);
  });
});
