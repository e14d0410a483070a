/** The search visits each state once, and finds a shortest path to a violation. */
import { assert } from 'chai';

import { explore, type Model } from './explore.js';

type Point = {
  readonly across: { readonly place: number };
  readonly up: { readonly places: readonly number[] };
};

/** A grid, whose steps go one or two places across, or one up. */
function grid(size: number, forbidden: number | null): Model<Point, 'forbidden'> {
  return {
    start: { across: { place: 0 }, up: { places: [] } },
    stepsOf: ({ across, up }) => {
      const steps: [string, Point][] = [];
      for (const step of [1, 2]) {
        const place = across.place + step;
        if (place < size) steps.push([`across ${step}`, { across: { place }, up }]);
      }
      const places = [...up.places, up.places.length];
      if (places.length < size) steps.push(['up', { across, up: { places } }]);
      return steps;
    },
    violationOf: ({ across }) =>
      across.place === forbidden ? { kind: 'forbidden', what: `${across.place}` } : null,
    situations: {
      'the far corner': ({ across, up }) =>
        across.place === size - 1 && up.places.length === size - 1,
      outside: ({ across }) => across.place === size,
      'a step up': (_, label) => label === 'up',
    },
  };
}

describe('the search of states', () => {
  it('visits each state once, however many paths lead there', () => {
    const { violation, stateCount, unmet } = explore(grid(20, null));
    assert.isNull(violation);
    assert.strictEqual(stateCount, 400);
    assert.deepEqual(unmet, ['outside']);
  });

  it('finds a shortest path to a violation', () => {
    const { violation, path } = explore(grid(20, 5));
    assert.deepEqual(violation, { kind: 'forbidden', what: '5' });
    assert.lengthOf(path, 3);
    assert.notInclude(path, 'up');
  });
});
