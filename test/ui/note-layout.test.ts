/** Notes below a plot: none hides another, and a great many are counted. */

import { assert } from 'chai';

import { layOut } from '../../src/ui/note-layout.js';
import { Random, testSeed } from '../support/random.js';

const span = { start: 0n, end: 1_000n, width: 1_000 };

describe('notes in a lane', () => {
  it('are at their time, at least a finger wide, within the lane', () => {
    const notes = [
      { start: 500n, end: 500n },
      { start: 100n, end: 300n },
      { start: 1_000n, end: 1_000n },
      { start: -50n, end: 40n },
    ];
    const lane = layOut(notes, span);
    assert.strictEqual(lane.kind, 'stacked');
    if (lane.kind !== 'stacked') return;
    const places = lane.notes.map(({ x, width, row }) => [x, width, row]);
    assert.deepEqual(places, [
      [0, 40, 0],
      [100, 200, 0],
      [488, 24, 0],
      [976, 24, 0],
    ]);
  });

  it('outside of the window are left out', () => {
    const lane = layOut([{ start: 1_001n, end: 2_000n }], span);
    assert.deepEqual(lane, { kind: 'stacked', notes: [], rows: 0 });
  });

  it(`do not overlap (seed ${testSeed})`, () => {
    const random = new Random(testSeed);
    for (let round = 0; round < 300; round += 1) {
      const notes = Array.from({ length: random.below(20) }, () => {
        const start = BigInt(random.below(1_000));
        return { start, end: start + BigInt(random.below(300)) };
      });
      const lane = layOut(notes, span);
      if (lane.kind !== 'stacked') continue;
      for (const one of lane.notes) {
        for (const other of lane.notes) {
          if (one === other || one.row !== other.row) continue;
          assert.isTrue(one.x + one.width <= other.x || other.x + other.width <= one.x);
        }
      }
    }
  });

  it('of more than a thousand are counted by columns that cover the span', () => {
    const notes = Array.from({ length: 1_100 }, (_, at) => ({
      start: BigInt(at % 1_000),
      end: BigInt(at % 1_000),
    }));
    const lane = layOut(notes, span);
    assert.strictEqual(lane.kind, 'counted');
    if (lane.kind !== 'counted') return;
    assert.strictEqual(
      lane.columns.reduce((sum, { count }) => sum + count, 0),
      1_100,
    );
    assert.strictEqual(lane.columns.at(-1)?.end, 1_000n);
    assert.strictEqual(lane.columns[0]?.start, 0n);
  });
});
