/**
 * Checks the meaning of a parsed expression: types, argument counts, operators, selectors. Throws
 * `parse_failed` for the first error, in the order in which Prometheus checks.
 */

import type {
  Aggregation,
  PromqlBinary,
  PromqlCall,
  PromqlExpression,
  Subquery,
  Unary,
} from '../syntax/ast.js';
import type { Signature, PromqlType, VectorSelector } from '../syntax/ast.js';
import type { ParsedText } from '../syntax/parser.js';
import { chainOf } from '../syntax/chain.js';
import { goQuote } from '../syntax/quote.js';
import { kNameLabel } from '../syntax/selector-parser.js';
import { parseError } from '../syntax/text-place.js';
import { typeOf } from '../syntax/type-of.js';
import { checkOperator } from './operator-rules.js';
import { matchesEmpty } from './patterns.js';

export function checkParsed(parsed: ParsedText): void {
  new PromqlChecker(parsed).check(parsed.expression);
}

const spoken: Readonly<Record<PromqlType, string>> = {
  ...{ scalar: 'scalar', vector: 'instant vector', matrix: 'range vector', string: 'string' },
};

class PromqlChecker {
  readonly #parsed: ParsedText;

  constructor(parsed: ParsedText) {
    this.#parsed = parsed;
  }

  check(expression: PromqlExpression): PromqlType {
    this.#rules(expression);
    return typeOf(expression);
  }

  #rules(expression: PromqlExpression): void {
    const { kind } = expression;
    if (kind === 'selector') this.#selector(expression);
    else if (kind === 'matrix') this.#selector(expression.of);
    else if (kind === 'parens') this.#rules(expression.of);
    else if (kind === 'subquery') this.#subquery(expression);
    else if (kind === 'unary') this.#unary(expression);
    else if (kind === 'binary') this.#binary(expression);
    else if (kind === 'aggregation') this.#aggregation(expression);
    else if (kind === 'call') this.#call(expression);
  }

  #selector(selector: VectorSelector): void {
    const { name, matchers } = selector;
    if (name === '') {
      if (matchers.some((matcher) => !matchesEmpty(matcher))) return;
      this.#refuse(selector, 'vector selector must contain at least one non-empty matcher');
    }
    const other = matchers.slice(0, -1).find(({ key }) => key === kNameLabel);
    if (other === undefined) return;
    const names = `${goQuote(name)} or ${goQuote(other.value)}`;
    this.#refuse(selector, `metric name must not be set twice: ${names}`);
  }

  #subquery(subquery: Subquery): void {
    const type = this.check(subquery.of);
    if (type === 'vector') return;
    this.#refuse(subquery, `subquery is only allowed on instant vector, got ${type} instead`);
  }

  #unary(unary: Unary): void {
    const type = this.check(unary.of);
    if (type === 'scalar' || type === 'vector') return;
    const wanted = 'unary expression only allowed on expressions of type scalar or instant vector';
    this.#refuse(unary, `${wanted}, got "${spoken[type]}"`);
  }

  #binary(binary: PromqlBinary): void {
    const { first, operators } = chainOf(binary);
    this.#rules(first);
    for (const operator of operators) {
      this.#rules(operator.right);
      const matching = operator.matching ?? this.#parsed.misplaced.get(operator) ?? null;
      checkOperator(operator, matching, this.#parsed.text);
    }
  }

  #aggregation({ op, of, parameter }: Aggregation): void {
    this.#expect(of, 'vector', 'in aggregation expression');
    if (parameter === null) return;
    const wanted = op === 'count_values' ? 'string' : 'scalar';
    this.#expect(parameter, wanted, 'in aggregation parameter');
  }

  #expect(of: PromqlExpression, wanted: PromqlType, where: string): void {
    const type = this.check(of);
    if (type === wanted) return;
    this.#refuse(of, `expected type ${spoken[wanted]} ${where}, got ${spoken[type]}`);
  }

  #call(call: PromqlCall): void {
    const problem = countProblem(call.signature, call.args.length);
    if (problem !== null) {
      const [wanted, count] = [problem, call.args.length];
      const where = `in call to ${goQuote(call.name)}`;
      this.#refuse(call, `expected ${wanted} argument(s) ${where}, got ${count}`);
    }
    if (call.name === 'info') this.#info(call);
    else this.#args(call);
  }

  #args({ name, signature, args }: PromqlCall): void {
    args.forEach((arg, at) => {
      const wanted = signature.args[at] ?? signature.args.at(-1);
      if (wanted !== undefined) this.#expect(arg, wanted, `in call to function ${goQuote(name)}`);
    });
  }

  /** The second argument of info() has matchers but no metric name; the matchers may be empty. */
  #info({ args: [of, data] }: PromqlCall): void {
    const where = 'in call to function "info"';
    if (data !== undefined && typeOf(data) !== 'vector') this.#expect(data, 'vector', where);
    if (data !== undefined && data.kind !== 'selector') {
      this.#refuse(data, 'expected label selectors only');
    }
    if (data?.kind === 'selector' && data.name !== '') {
      this.#refuse(data, 'expected label selectors only, got vector selector instead');
    }
    if (of !== undefined) this.#expect(of, 'vector', where);
  }

  #refuse({ place }: PromqlExpression, message: string): never {
    throw parseError(this.#parsed.text, place.start, message);
  }
}

/** The expected number of arguments as text; null if `count` is right. */
function countProblem({ args, optional }: Signature, count: number): string | null {
  if (optional === 0) return count === args.length ? null : `${args.length}`;
  const least = args.length - 1;
  if (count < least) return `at least ${least}`;
  if (optional === null || count <= least + optional) return null;
  return `at most ${least + optional}`;
}
