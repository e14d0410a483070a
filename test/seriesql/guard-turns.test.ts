/** Queries that run at a time, and others beside them. */
import { expect } from 'chai';

import { Guard } from '../../src/query/limits/guard.js';
import { roomyLimits } from '../support/memory-target.js';

const kSliceMs = 2;

function work(): void {
  const end = performance.now() + kSliceMs;
  while (performance.now() < end);
}

describe('queries that run at a time', () => {
  it('leave others their turn between any two of them', async () => {
    const state = { isOver: false };
    let slices = 0;
    let most = 0;
    const queries = Array.from({ length: 6 }, async () => {
      const guard = new Guard(roomyLimits);
      for (let slice = 0; slice < 20; slice += 1) {
        slices += 1;
        work();
        await guard.breathe();
      }
    });
    const others = (): void => {
      most = Math.max(most, slices);
      slices = 0;
      if (!state.isOver) setImmediate(others);
    };
    setImmediate(others);
    await new Promise((resolve) => setImmediate(resolve));
    // All of them began at once.
    most = 0;
    await Promise.all(queries);
    state.isOver = true;
    expect(most).to.equal(1);
  });
});
