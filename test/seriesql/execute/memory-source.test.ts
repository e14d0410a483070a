import { expect } from 'chai';

import {
  expandStar,
  type PlannedLabelTerm,
  type SelectPlan,
} from '../../../src/query/seriesql/plan/plan.js';
import { MemorySource } from '../../support/memory-source.js';

describe('seriesql selection', () => {
  const source = new MemorySource({ holds: () => true });
  source.add('cpu.user', [['host', 'web-1']], [{ time: 1n, value: 1 }]);
  source.add('cpu.user', [['host', 'db-1']], [{ time: 1n, value: 1 }]);
  source.add('cpu.idle', [], [{ time: 1n, value: 1 }]);
  source.add('cpux', [], [{ time: 1n, value: 1 }]);
  const on = { kind: 'label', key: 'host' } as const;
  const cases: readonly (readonly [PlannedLabelTerm, readonly bigint[]])[] = [
    [{ on, op: 'in', values: ['web-1', 'x'] }, [1n]],
    [{ on, op: 'notIn', values: ['web-1'] }, [2n]],
    [{ on, op: 'match', values: ['-1'] }, [1n, 2n]],
    [{ on, op: 'notMatch', values: ['^web'] }, [2n]],
    [{ on: { kind: 'metric' }, op: 'match', values: ['idle$'] }, [3n]],
  ];
  for (const [term, wanted] of cases) {
    it(`selects by ${term.op} of ${term.on.kind} only series that have it`, async () => {
      const target = { kind: 'family', prefix: 'cpu.' } as const;
      const series = await source.select({ target, terms: [term], conditions: [] });
      expect(series.map(({ id }) => id)).to.deep.equal(wanted);
    });
  }

  it('expands * differently for one series and for several', () => {
    const plan = { items: [{ kind: 'star' }] } as unknown as SelectPlan;
    const names = (count: number) => expandStar(plan, count).map(({ name }) => name);
    expect(names(1)).to.deep.equal(['time', 'value']);
    expect(names(2)).to.deep.equal(['time', 'metric', 'series_id', 'labels', 'value']);
  });
});
