/**
 * From a text to its plan, with a memory: dashboards ask the same again and again. Kept is only
 * what follows from the text alone, so that neither data nor clock nor settings can make it wrong:
 * the tree of a SELECT, and its plan where nothing in it is `now()`.
 */

import { parseStatement } from './language/parser.js';
import { QueryText } from './language/query-text.js';
import { planStatement } from './plan/planner.js';

import type { TimestampUnit } from '../model/timestamp-unit.js';
import type { Statement } from './language/ast.js';
import type { Evaluator } from './plan/evaluate.js';
import type { Plan } from './plan/plan.js';
import type { CompiledQuery, FallbackReason } from './execute/compiled-engine.js';

/** Longer texts are not kept. */
const kTextSizeMax = 2048;
const kTextsMax = 256;

export interface Parsed {
  readonly source: QueryText;
  readonly statement: Statement;
  /** Null until there is one that is the same at all times. */
  plan: Plan | null;
  /** Of that plan. */
  compiled: CompiledQuery | FallbackReason | null;
}

interface Preparation {
  readonly unit: TimestampUnit;
  /** In that unit. */
  readonly now: bigint;
  readonly evaluator: Evaluator;
}

/** For one database and its engine: the unit is part of a plan. */
export class PreparedStatements {
  /** The one used last is the last. */
  readonly #known = new Map<string, Parsed>();
  /** Asked once. What is never asked again would only be garbage that lasts. */
  readonly #seen = new Set<string>();

  /** Throws `parse_failed`, `query_required`, `unsupported_…`. */
  parse(text: string): Parsed {
    const known = this.#known.get(text);
    if (known !== undefined) {
      this.#known.delete(text);
      this.#known.set(text, known);
      return known;
    }
    const source = new QueryText(text);
    const parsed = { source, statement: parseStatement(source), plan: null, compiled: null };
    if (parsed.statement.kind !== 'select' || text.length > kTextSizeMax) return parsed;
    if (this.#seen.delete(text)) {
      this.#known.set(text, parsed);
      trim(this.#known);
    } else {
      this.#seen.add(text);
      trim(this.#seen);
    }
    return parsed;
  }

  get size(): number {
    return this.#known.size;
  }
}

/** The oldest goes. */
function trim(texts: Map<string, unknown> | Set<string>): void {
  if (texts.size <= kTextsMax) return;
  const [oldest = ''] = texts.keys();
  texts.delete(oldest);
}

/** Throws `validation_failed`, or an `unsupported_…` for what no engine can run. */
export function planOf(parsed: Parsed, { unit, now, evaluator }: Preparation): Plan {
  if (parsed.plan !== null) return parsed.plan;
  const asked = { forNow: false };
  const plan = planStatement(parsed.statement, {
    source: parsed.source,
    unit,
    evaluator,
    get now() {
      asked.forNow = true;
      return now;
    },
  });
  if (!asked.forNow) parsed.plan = plan;
  return plan;
}
