/** Concurrent queries take turns with each other and with other requests. */
import { expect } from 'chai';

import { Guard } from '../../src/query/limits/guard.js';
import { noteTextWork } from '../../src/query/limits/text-work.js';
import { expressionWorksOnTexts } from '../../src/query/promql/works-on-texts.js';
import { statementWorksOnTexts } from '../../src/query/seriesql/works-on-texts.js';
import { roomyLimits } from '../support/memory-target.js';

const kSliceMs = 2;

/** The work of one row with much text. */
const kRowWork = 2 ** 20;
const worksOnTexts = (): boolean => true;

function work(): void {
  const end = performance.now() + kSliceMs;
  while (performance.now() < end);
}

describe('concurrent queries', () => {
  it('yield to others between any two of them', async () => {
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

  /** Most queries that worked in one turn of the event loop; all are begun in the same one. */
  async function mostInATurn(count: number, wait: (guard: Guard) => Promise<void>) {
    const state = { isOver: false, most: 0, inTurn: 0 };
    const look = (): void => {
      state.most = Math.max(state.most, state.inTurn);
      state.inTurn = 0;
      if (!state.isOver) setImmediate(look);
    };
    const ask = async (): Promise<void> => {
      // Each in a callback of its own, as requests are.
      await new Promise((resolve) => setTimeout(resolve, 5));
      const guard = new Guard(roomyLimits, { worksOnTexts });
      await wait(guard);
      noteTextWork(kRowWork);
      state.inTurn += 1;
      guard.end();
    };
    look();
    await Promise.all(Array.from({ length: count }, ask));
    state.isOver = true;
    return Math.max(state.most, state.inTurn);
  }

  it('start one per turn if their rows are long', async () => {
    expect(await mostInATurn(6, (guard) => guard.breathe())).to.equal(1);
  });

  it('resume one per turn if their awaited results arrive at once', async () => {
    const read = (guard: Guard) => guard.during(Promise.resolve(), () => undefined);
    expect(await mostInATurn(6, read)).to.equal(1);
  });

  it('can be cancelled while they wait for a turn', async () => {
    const guard = new Guard(roomyLimits, { worksOnTexts });
    noteTextWork(kRowWork);
    let stops = 0;
    const waits = guard.during(Promise.resolve(), () => {
      stops += 1;
    });
    await Promise.resolve();
    guard.cancel();
    const error: unknown = await waits.catch((why: unknown) => why);
    expect(String(error)).to.match(/the query was cancelled/);
    expect(stops).to.equal(1);
  });

  it('resume at once beside long rows if they process no texts', async () => {
    noteTextWork(kRowWork);
    const guard = new Guard(roomyLimits, { worksOnTexts: () => false });
    let isNextTurn = false;
    setImmediate(() => {
      isNextTurn = true;
    });
    await guard.breathe();
    await guard.during(Promise.resolve(), () => undefined);
    expect(isNextTurn).to.equal(false);
  });
});

describe('statements that may take long on one row', () => {
  it('are those with a function or an operator of texts', () => {
    for (const of of [
      'SELECT Upper(tag.a) from m',
      "select * from m where tag.a not LIKE '%x'",
      "select * from m{a=~'x'}",
      "select * from m where tag.a !~ 'x'",
      "select regexp_extract(tag.a, 'x') from m",
      'select concat(metric) from m',
    ]) {
      expect(statementWorksOnTexts(of), of).to.equal(true);
    }
    for (const of of [
      'select max(value) from label_info',
      'select coalesce(tag.a, tag.b) from m',
    ]) {
      expect(statementWorksOnTexts(of), of).to.equal(false);
    }
    expect(statementWorksOnTexts('')).to.equal(false);
  });

  it('are those with an aggregation or a matcher of texts in PromQL', () => {
    for (const of of [
      'label_replace #(\n (m,"a","$1","b","(.*)")',
      'label_join(m, "a", "", "b")',
      'sort_by_label_desc(m, "a")',
      'info(m)',
      'Count_Values ("v", m)',
      'limit_ratio(0.5, m)',
      'm{a!~"x"}',
    ]) {
      expect(expressionWorksOnTexts(of), of).to.equal(true);
    }
    for (const of of ['sum by (host) (rate(m[5m]))', 'topk(5, label_info)', 'sort(m)', '']) {
      expect(expressionWorksOnTexts(of), of).to.equal(false);
    }
  });
});
