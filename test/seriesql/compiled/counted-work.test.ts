/**
 * Hostile texts of twice the size cost at most twice the work in every step before execution. Work
 * is counted in reads of the step's input, so that clocks and other processes have no influence.
 */

import { assert } from 'chai';

import { databaseTime } from '../../../src/common/model/timestamp-unit.js';
import { StorageQueryEngine } from '../../../src/query/seriesql/compiled/storage-engine.js';
import { AppError } from '../../../src/common/errors/app-error.js';
import { Evaluator } from '../../../src/query/seriesql/plan/evaluate.js';
import { explainStatement } from '../../../src/query/seriesql/explain/explain.js';
import { TokenCursor } from '../../../src/query/seriesql/language/cursor.js';
import { tokenize } from '../../../src/query/seriesql/language/lexer.js';
import { StatementParser } from '../../../src/query/seriesql/language/parser.js';
import { QueryText } from '../../../src/query/seriesql/language/query-text.js';
import { planStatement } from '../../../src/query/seriesql/plan/planner.js';
import { hostileShapes } from '../../support/hostile-texts.js';
import { memorySource } from '../../support/memory-target.js';

import type { StatementPlan } from '../../../src/query/seriesql/plan/plan.js';

const engine = new StorageQueryEngine(
  {
    openGroups: runsNothing,
    openRows: runsNothing,
    openTexts: runsNothing,
    prepareTexts: runsNothing,
    openDiscovery: runsNothing,
  },
  memorySource(),
);

function runsNothing(): never {
  throw new Error('nothing runs here');
}

/** Values that count reads of their parts, at any depth. */
class Watched {
  reads = 0;
  readonly #known = new WeakMap<object, object>();

  of<T extends object>(value: T): T {
    const known = this.#known.get(value);
    if (known !== undefined) return known as T;
    const made = new Proxy(value, {
      get: (target, key) => {
        this.reads += 1;
        const found: unknown = Reflect.get(target, key);
        return typeof found === 'object' && found !== null ? this.of(found) : found;
      },
    });
    this.#known.set(value, made);
    return made;
  }
}

type Costs = Record<'parse' | 'plan' | 'lower' | 'explain' | 'bytecode', number>;

/** The number of reads by each step; 0 if the text did not reach it. */
function costsOf(text: string): Costs {
  const costs: Costs = { parse: 0, plan: 0, lower: 0, explain: 0, bytecode: 0 };
  const source = new QueryText(text);
  const counted = <In extends object, Out>(
    step: keyof Costs,
    given: In,
    work: (given: In) => Out,
  ): Out => {
    const watched = new Watched();
    try {
      return work(watched.of(given));
    } finally {
      costs[step] = watched.reads;
    }
  };
  try {
    const statement = counted('parse', tokenize(source), (tokens) =>
      new StatementParser(new TokenCursor(source, tokens)).whole(),
    );
    const evaluator = new Evaluator('ms');
    const plan = counted('plan', statement, (node) =>
      planStatement(node, { source, unit: 'ms', now: databaseTime(0n), nowCount: 0, evaluator }),
    );
    costsOfPlan(plan, counted);
  } catch (error) {
    assert.instanceOf(error, AppError, text.slice(0, 100));
  }
  return costs;
}

function costsOfPlan(
  plan: StatementPlan,
  counted: <In extends object>(
    step: keyof Costs,
    given: In,
    work: (given: In) => unknown,
  ) => unknown,
): void {
  if (plan.kind === 'explain') return;
  if (plan.kind === 'select' || plan.kind === 'show') {
    counted('lower', plan, (one) => engine.tryCompile(one));
  }
  counted('explain', plan, (statement) =>
    explainStatement({ kind: 'explain', mode: 'plan', statement }),
  );
  counted('bytecode', plan, (statement) =>
    explainStatement({ kind: 'explain', mode: 'bytecode', statement }),
  );
}

describe('the compile-time work on a hostile text', () => {
  for (const [name, make] of Object.entries(hostileShapes)) {
    it(`of ${name} is counted and linear`, () => {
      const half = costsOf(make(16_000));
      const whole = costsOf(make(32_000));
      for (const step of ['parse', 'plan', 'lower', 'explain', 'bytecode'] as const) {
        const most = 2.3 * half[step] + 2000;
        assert.isAtMost(whole[step], most, step);
      }
      // The input of the steps after the parser is bounded, for any text.
      assert.isAtMost(
        Object.values(whole).reduce((sum, one) => sum + one, 0),
        4_000_000,
      );
    });
  }
});
