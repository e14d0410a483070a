/** The gate of queries, of one thread and of several. */
import { expect } from 'chai';

import {
  freeSlots,
  QueryGate,
  querySlots,
  type QuerySlot,
} from '../../src/operations/slots/query-gate.js';
import { Guard } from '../../src/query/limits/guard.js';

const limits = { maxRows: 1, maxSeries: 1, maxSamples: 1, maxTextBytes: 1e6, timeoutMs: 60_000 };
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

interface Asked {
  readonly limit: number;
  readonly principal?: string;
  readonly waitMs?: number;
  readonly takesShort?: boolean;
}

function enter(gate: QueryGate, asked: Asked): Promise<QuerySlot> {
  const { limit, principal = '', waitMs = 5_000, takesShort = false } = asked;
  const until = performance.now() + waitMs;
  return gate.enter({ limit, principal, takesShort, until }, new Guard(limits));
}

const outcome = (entering: Promise<QuerySlot>): Promise<string> =>
  entering.then(
    ({ isShort }) => (isShort ? 'short' : 'long'),
    (error: unknown) => (error as { code: string }).code,
  );

describe('the query gate', () => {
  it('admits a fixed number at a time, and the rest wait', async () => {
    const gate = new QueryGate(querySlots(), 0);
    const first = await enter(gate, { limit: 1 });
    const waiting = enter(gate, { limit: 1 });
    first.leave();
    first.leave();
    const second = await waiting;
    expect(await outcome(enter(gate, { limit: 1, waitMs: 20 }))).to.equal('too_many_queries');
    second.leave();
    (await enter(gate, { limit: 1 })).leave();
  });

  it('hands slots to waiters at another gate of the same slots', async () => {
    const slots = querySlots(2);
    const [one, other] = [new QueryGate(slots, 0), new QueryGate(slots, 1)];
    const first = await enter(one, { limit: 1 });
    const order: string[] = [];
    const entering = [one, other, one, other].map(async (gate, at) => {
      const slot = await enter(gate, { limit: 1 });
      order.push(`in ${String(at)}`);
      await pause(5);
      order.push(`out ${String(at)}`);
      slot.leave();
    });
    first.leave();
    await Promise.all(entering);
    const pairs = Array.from({ length: 4 }, (_, at) => order.slice(2 * at, 2 * at + 2));
    for (const [came, left] of pairs) expect(left).to.equal(came?.replace('in', 'out'));
    expect([...slots.subarray(0, -1)].filter((count) => count !== 0)).to.deep.equal([]);
  });

  it('has half as many short slots when all others are taken', async () => {
    const gate = new QueryGate(querySlots(), 0);
    const asked = { limit: 4, takesShort: true, waitMs: 20 };
    const kinds = [];
    for (let at = 0; at < 7; at++) kinds.push(await outcome(enter(gate, asked)));
    const long = ['long', 'long', 'long', 'long'];
    expect(kinds).to.deep.equal([...long, 'short', 'short', 'too_many_queries']);
    expect(gate.isOpen(4)).to.equal(false);
  });

  it('has a slot for a principal without one, up to a quarter more', async () => {
    const slots = querySlots(2);
    const [one, other] = [new QueryGate(slots, 0), new QueryGate(slots, 1)];
    for (let at = 0; at < 4; at++) await enter(one, { limit: 4, principal: 'greedy' });
    const asked = (principal: string) => ({ limit: 4, principal, waitMs: 20 });
    expect(await outcome(enter(one, asked('greedy')))).to.equal('too_many_queries');
    expect(await outcome(enter(other, asked('modest')))).to.equal('long');
    expect(await outcome(enter(other, asked('modest')))).to.equal('too_many_queries');
    expect(await outcome(enter(other, asked('third')))).to.equal('too_many_queries');
  });

  it('gives a free slot to the waiter with the fewest, at any gate', async () => {
    const slots = querySlots(2);
    const [one, other] = [new QueryGate(slots, 0), new QueryGate(slots, 1)];
    const greedy = [];
    for (let at = 0; at < 4; at++) {
      greedy.push(await enter(one, { limit: 4, principal: 'greedy' }));
    }
    const modest = await enter(other, { limit: 4, principal: 'modest' });
    const order: string[] = [];
    const ask = (gate: QueryGate, principal: string) =>
      enter(gate, { limit: 4, principal }).then((slot) => {
        order.push(principal);
        return slot;
      });
    const waiting = [...[1, 2].map(() => ask(one, 'greedy')), ask(other, 'modest')];
    greedy[0]?.leave();
    await pause(20);
    expect(order).to.deep.equal([]);
    greedy[1]?.leave();
    await pause(20);
    expect(order).to.deep.equal(['modest']);
    greedy[2]?.leave();
    greedy[3]?.leave();
    modest.leave();
    await Promise.all(waiting);
    expect(order).to.deep.equal(['modest', 'greedy', 'greedy']);
  });

  it('gives a free slot to a waiter with fewer, not to one who asks at once', async () => {
    const slots = querySlots(2);
    const [one, other] = [new QueryGate(slots, 0), new QueryGate(slots, 1)];
    for (let at = 0; at < 3; at++) await enter(one, { limit: 4, principal: 'greedy' });
    const third = await enter(one, { limit: 4, principal: 'third' });
    const fourth = await enter(one, { limit: 4, principal: 'fourth' });
    const modest = outcome(enter(other, { limit: 4, principal: 'modest' }));
    third.leave();
    fourth.leave();
    const greedy = outcome(enter(one, { limit: 4, principal: 'greedy', waitMs: 300 }));
    expect([await modest, await greedy]).to.deep.equal(['long', 'too_many_queries']);
  });

  it('takes back what a thread held that is gone', async () => {
    const slots = querySlots(2);
    const [one, dead] = [new QueryGate(slots, 0), new QueryGate(slots, 1)];
    await enter(dead, { limit: 2, principal: 'a' });
    await enter(dead, { limit: 2, principal: 'b' });
    const waiting = enter(one, { limit: 2, principal: 'a' });
    freeSlots(slots, 1);
    const slot = await waiting;
    await enter(one, { limit: 2, principal: 'b' });
    expect(await outcome(enter(one, { limit: 2, principal: 'b', waitMs: 20 }))).to.equal(
      'too_many_queries',
    );
    slot.leave();
    await enter(one, { limit: 2, principal: 'b' });
  });
});
