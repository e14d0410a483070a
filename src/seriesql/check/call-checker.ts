/** Calls: scalar functions, aggregates, windows and `time_bucket`. */

import { didYouMean } from '../language/nearest.js';

import { checkBucket } from './bucket-checker.js';
import { constantPlace, named, type ExpressionChecker, type Place } from './place.js';
import { literal } from './expr.js';
import {
  aggregateSignatures,
  functionNames,
  isAggregateName,
  isNumeric,
  isScalarName,
  isWindowName,
  scalarSignatures,
  sumType,
  windowSignatures,
  type ScalarSignature,
} from './signatures.js';

import type { Expression } from '../language/ast.js';
import type {
  Aggregate,
  AggregateName,
  Expr,
  ScalarName,
  Window,
  WindowName,
} from '../plan/plan.js';
import type { StaticType, ValueType } from '../value.js';

export type CallNode = Extract<Expression, { kind: 'call' }>;

/** Longest distance or width in rows of a window. */
const kWindowRowsMax = 1_000_000n;

export class CallChecker {
  readonly #checker: ExpressionChecker;
  /** Places of entries by what they are, for each list of aggregates and windows. */
  readonly #places = new Map<object, Map<string, number>>();

  constructor(checker: ExpressionChecker) {
    this.#checker = checker;
  }

  check(node: CallNode, place: Place): Expr {
    const name = node.name.toLowerCase();
    if (isAggregateName(name)) return this.#aggregate(name, node, place);
    if (node.isDistinct || node.isStar) {
      const what = node.isStar ? '*' : 'DISTINCT';
      throw this.#fail(node, `${what} stands only in count(…)`);
    }
    if (name === 'time_bucket') return checkBucket(this.#checker, node, place);
    if (name === 'now') {
      this.#arity(node, 0, 0);
      return literal(this.#checker.context.now, 'timestamp');
    }
    if (isWindowName(name)) return this.#window(name, node, place);
    if (isScalarName(name)) return this.#scalar(name, node, place);
    const hint = didYouMean(node.name, functionNames) ?? 'docs/seriesql.md lists the functions';
    throw this.#fail(node, `unknown function ${node.name.slice(0, 60)}`, hint);
  }

  #fail(node: Expression, message: string, hint?: string): Error {
    return this.#checker.fail(node.span.start, message, hint);
  }

  #arity(node: CallNode, least: number, most: number): void {
    const count = node.args.length;
    if (count >= least && count <= most) return;
    const range = least === most ? String(least) : `${least} to ${most}`;
    const wanted = most === Infinity ? `at least ${least}` : range;
    const noun = wanted === '1' || wanted === 'at least 1' ? 'argument' : 'arguments';
    throw this.#fail(node, `${node.name} takes ${wanted} ${noun}, not ${count}`);
  }

  // Scalar functions.

  #scalar(name: ScalarName, node: CallNode, place: Place): Expr {
    const signature = scalarSignatures[name];
    const count = signature.args.length;
    this.#arity(node, count - signature.optional, signature.isVariadic === true ? Infinity : count);
    const args = node.args.map((arg, at) => {
      const expr = this.#checker.check(arg, place);
      this.#argument(node, at, expr, signature);
      return expr;
    });
    this.#fixedArguments(node, signature);
    return this.#scalarResult(name, node, args, signature);
  }

  #scalarResult(
    name: ScalarName,
    node: CallNode,
    args: readonly Expr[],
    signature: ScalarSignature,
  ): Expr {
    const { start } = node.span;
    const anyNullable = args.some((arg) => arg.nullable);
    if (signature.result === 'shared') {
      const { type, exprs } = this.#checker.oneType(args, start);
      const nullable = exprs.every((expr) => expr.nullable);
      return { kind: 'call', name, args: exprs, type, nullable };
    }
    if (name === 'nullif') this.#checker.oneType(args, start);
    const first = args[0]?.type ?? 'null';
    let type: StaticType = signature.result === 'first' ? first : signature.result;
    const keepsTime = ['ceil', 'floor', 'round', 'trunc', 'nullif'].includes(name);
    if (type === 'timestamp' && !keepsTime) type = 'integer';
    return { kind: 'call', name, args, type, nullable: anyNullable || signature.mayBeNull };
  }

  #argument(node: CallNode, at: number, expr: Expr, signature: ScalarSignature): void {
    const kind = signature.args[Math.min(at, signature.args.length - 1)] ?? 'any';
    const { type } = expr;
    if (kind === 'any' || type === 'null') return;
    const fits =
      kind === 'number'
        ? isNumeric(type)
        : kind === 'integer' || kind === 'group'
          ? type === 'integer'
          : type === 'string';
    if (fits) return;
    const wanted = { number: 'a number', integer: 'an integer', group: 'an integer' }[
      kind as 'number'
    ] as string | undefined;
    const message = `argument ${at + 1} of ${node.name} is ${named(type)}, not ${wanted ?? 'text'}`;
    throw this.#fail(node.args[at] ?? node, message);
  }

  /** Patterns and their groups are checked when the query is read. */
  #fixedArguments(node: CallNode, signature: ScalarSignature): void {
    const at = signature.args.indexOf('pattern');
    const patternNode = node.args[at];
    if (at < 0 || patternNode === undefined) return;
    const pattern = this.#checker.pattern(patternNode);
    const { groupCount } = this.#checker.context.evaluator.pattern(pattern);
    const group = node.args[at + 1];
    if (group === undefined) return;
    const isKnown = group.kind === 'integer' && group.value >= 0n && group.value <= groupCount;
    if (isKnown) return;
    throw this.#fail(group, `the group is an integer from 0 to ${groupCount}`);
  }

  // Aggregates.

  #aggregate(name: AggregateName, node: CallNode, place: Place): Expr {
    if (place.aggregates === null) throw this.#fail(node, `${node.name}(…) ${place.refusal}`);
    if (!place.hasColumns) throw this.#fail(node, `${node.name}(…) needs a FROM`);
    if (node.isStar && name !== 'count') throw this.#fail(node, '* stands only in count(*)');
    if (node.isDistinct && name !== 'count') {
      throw this.#fail(node, 'DISTINCT stands only in count(distinct …)');
    }
    const count = name === 'percentile' ? 2 : 1;
    if (!node.isStar) this.#arity(node, count, count);
    const inner: Place = {
      ...place,
      aliases: new Map(),
      aggregates: null,
      windows: null,
      refusal: 'cannot stand inside an aggregate',
    };
    const argumentNode = node.args[0];
    const argument = argumentNode === undefined ? null : this.#checker.check(argumentNode, inner);
    this.#aggregateArgument(name, node, argument);
    const quantile = name === 'percentile' ? this.#quantile(node) : 0;
    const made = aggregateOf({ name, argument, isDistinct: node.isDistinct, quantile, place });
    const which = `${name} ${made.isDistinct} ${quantile}`;
    const index = this.#indexOf(place.aggregates, made, which);
    return { kind: 'aggregate', index, type: made.type, nullable: made.nullable };
  }

  #aggregateArgument(name: AggregateName, node: CallNode, argument: Expr | null): void {
    if (argument === null) return;
    const { type } = argument;
    if (aggregateSignatures[name].argument === 'any' || isNumeric(type) || type === 'null') return;
    throw this.#fail(node.args[0] ?? node, `${node.name} needs numbers, this is ${named(type)}`);
  }

  #quantile(node: CallNode): number {
    const wanted = node.args[1];
    const isNumber = wanted?.kind === 'integer' || wanted?.kind === 'float';
    const value = isNumber ? Number(wanted.value) : NaN;
    if (value >= 0 && value <= 1) return value;
    throw this.#fail(wanted ?? node, 'the second argument of percentile is a number from 0 to 1');
  }

  // Windows.

  #window(name: WindowName, node: CallNode, place: Place): Expr {
    if (place.windows === null) {
      const [refusal = ''] = place.refusal.split(';');
      throw this.#fail(node, `${node.name}(…) ${refusal}`);
    }
    if (!place.hasColumns) throw this.#fail(node, `${node.name}(…) needs a FROM`);
    const { second, argument: wanted, result } = windowSignatures[name];
    this.#arity(node, second === null || second === 'rows?' ? 1 : 2, second === null ? 1 : 2);
    const argumentNode = node.args[0] ?? node;
    const argument = this.#checker.check(argumentNode, place);
    if (wanted === 'number' && !isNumeric(argument.type) && argument.type !== 'null') {
      throw this.#fail(argumentNode, `${node.name} needs numbers, this is ${named(argument.type)}`);
    }
    const { rows, duration } = this.#extent(name, node);
    const type = windowType(result, argument.type);
    const which = `${name} ${rows} ${duration}`;
    const made = { name, argument, rows, duration, type };
    const index = this.#indexOf(place.windows, made, which);
    return { kind: 'window', index, type, nullable: true };
  }

  /**
   * The place of an equal entry, which is added when there is none. Only this adds to a list. With
   * its argument `which` says all of an entry.
   */
  #indexOf<T extends Aggregate | Window>(list: T[], made: T, which: string): number {
    const known = this.#places.get(list) ?? new Map<string, number>();
    this.#places.set(list, known);
    const { argument } = made;
    const text = `${which} ${argument === null ? '*' : this.#checker.ids.of(argument)}`;
    const place = known.get(text);
    if (place !== undefined) return place;
    known.set(text, list.length);
    return list.push(made) - 1;
  }

  /** The second argument of a window. */
  #extent(name: WindowName, node: CallNode): Pick<Window, 'rows' | 'duration'> {
    const { second } = windowSignatures[name];
    const given = node.args[1];
    if (given === undefined) return { rows: second === 'rows?' ? 1 : 0, duration: null };
    const fixed = this.#checker.check(given, constantPlace);
    const value = fixed.kind === 'literal' && typeof fixed.value === 'bigint' ? fixed.value : null;
    const least = name === 'moving_avg' ? 1n : 0n;
    if (second !== 'rows?' && fixed.type === 'duration' && value !== null && value > 0n) {
      return { rows: 0, duration: value };
    }
    const takesRows = second !== 'duration' && fixed.type === 'integer' && value !== null;
    if (takesRows && value >= least && value <= kWindowRowsMax) {
      return { rows: Number(value), duration: null };
    }
    const what = second === 'duration' ? 'a duration above 0' : `rows from ${least}`;
    const hint = second === 'rows or duration' ? 'a number of rows or a duration' : what;
    throw this.#fail(given, `the second argument of ${node.name} is ${hint}`);
  }
}

interface AggregateParts {
  readonly name: AggregateName;
  readonly argument: Expr | null;
  readonly isDistinct: boolean;
  readonly quantile: number;
  readonly place: Place;
}

/** FILL decides over the type too: a count between two counts is no integer. */
function aggregateOf({ name, argument, isDistinct, quantile, place }: AggregateParts): Aggregate {
  const natural = aggregateType(name, argument?.type ?? 'integer');
  const { fill } = place;
  const isFloatFill =
    fill?.kind === 'linear' || (fill?.kind === 'constant' && typeof fill.value === 'number');
  const type = isFloatFill && natural === 'integer' ? 'float' : natural;
  const isFilledWithNull = fill !== null && fill.kind !== 'constant';
  const nullable = name !== 'count' || isFilledWithNull;
  return { name, argument, isDistinct, quantile, type, nullable };
}

function aggregateType(name: AggregateName, argument: StaticType): ValueType {
  const { result } = aggregateSignatures[name];
  switch (result) {
    case 'sum':
      return sumType(argument);
    case 'first':
      return argument === 'null' ? 'string' : argument;
    default:
      return result;
  }
}

function windowType(
  result: 'float' | 'sum' | 'difference' | 'first',
  argument: StaticType,
): ValueType {
  switch (result) {
    case 'float':
      return 'float';
    case 'sum':
      return sumType(argument);
    case 'difference':
      return argument === 'timestamp' ? 'duration' : sumType(argument);
    case 'first':
      return argument === 'null' ? 'string' : argument;
  }
}
