/** Checks calls: scalar functions, aggregates, windows and `time_bucket`. */

import { didYouMean } from '../../../../common/model/nearest.js';
import { beginningOf } from '../../../../common/model/visible-text.js';
import { foreign } from '../../language/foreign.js';
import { aggregateFunctions } from '../../functions/aggregate-functions.js';
import {
  distinctNames,
  functionNames,
  isAggregateName,
  isScalarName,
  isWindowName,
  starNames,
} from '../../functions/function-names.js';
import { scalarFunctions } from '../../functions/scalar-functions.js';
import { isNumeric, sumType, valueType } from '../../functions/type-rules.js';
import { windowFunctions } from '../../functions/window-functions.js';

import { checkBucket } from './bucket-checker.js';
import { literal } from './expr.js';
import { checkDay, isDayName } from './moments.js';
import { constantPlace, named, type ExpressionChecker, type ExprPlace } from './place.js';

import type { CallNode, Expression } from '../../language/ast.js';
import type { StaticType, ValueType } from '../../../values/value.js';
import type { AggregateFunction } from '../../functions/aggregate-function.js';
import type { AggregateName } from '../../functions/aggregate-functions.js';
import type { ArgumentKind, Parameter, ScalarFunction } from '../../functions/scalar-function.js';
import type { ScalarName } from '../../functions/scalar-functions.js';
import type {
  WindowExtent,
  ExtentParameter,
  WindowFunction,
} from '../../functions/window-function.js';
import type { WindowName } from '../../functions/window-functions.js';
import type { PlannedAggregate, Expr, Window } from '../plan.js';

/** The largest distance or width of a window, in rows. */
const kWindowRowsMax = 1_000_000n;

/** The name of each argument kind in errors; null: anything fits. */
const kindNames: Readonly<Record<ArgumentKind, string | null>> = {
  number: 'a number',
  integer: 'an integer',
  group: 'an integer',
  text: 'text',
  pattern: 'text',
  any: null,
};

const kInAggregate = 'cannot be used inside an aggregate';
export class CallChecker {
  readonly #checker: ExpressionChecker;
  /** For each list of aggregates or windows: the index of each entry, by its text. */
  readonly #places = new Map<object, Map<string, number>>();

  constructor(checker: ExpressionChecker) {
    this.#checker = checker;
  }

  check(node: CallNode, place: ExprPlace): Expr {
    const name = node.name.toLowerCase();
    if (isAggregateName(name)) return this.#aggregate(name, node, place);
    if (node.isDistinct || node.isStar) {
      const [what, names] = node.isStar ? ['*', starNames] : ['DISTINCT', distinctNames];
      throw this.#fail(node, `${what} is allowed only in ${forms(names, '…')}`);
    }
    if (name === 'time_bucket') return checkBucket(this.#checker, node, place);
    if (name === 'now') {
      this.#arity(node, 0, 0);
      return literal(this.#checker.context.now, 'timestamp');
    }
    if (isDayName(name)) return checkDay(this.#checker, node);
    if (isWindowName(name)) return this.#window(name, node, place);
    if (isScalarName(name)) return this.#scalar(name, node, place);
    throw this.#fail(node, `unknown function ${beginningOf(node.name, 60)}`, this.#meant(name));
  }

  /** A hint for an unknown function. */
  #meant(name: string): string {
    const [, percent] = /^p([0-9]{1,2})$/.exec(name) ?? [];
    const ofPercent =
      percent === undefined ? undefined : `write percentile(value, ${Number(percent) / 100})`;
    const elsewhere = this.#checker.context.foreignFunction?.(name);
    const known = [didYouMean(name, functionNames), elsewhere].filter((one) => one !== undefined);
    const listed = known.length === 0 ? 'docs/seriesql.md lists the functions' : known.join(' ');
    return foreign.functions.get(name) ?? ofPercent ?? listed;
  }

  #fail(node: Expression, message: string, hint?: string): Error {
    return this.#checker.fail(node.span.start, message, hint);
  }

  #lastly(node: Expression, message: string): Error {
    return this.#checker.failForGood(node.span.start, message);
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

  #scalar(name: ScalarName, node: CallNode, place: ExprPlace): Expr {
    const called: ScalarFunction = scalarFunctions[name];
    const { parameters } = called;
    const least = parameters.filter(({ isOptional }) => isOptional !== true).length;
    const isOpen = parameters.some(({ isRepeated }) => isRepeated === true);
    this.#arity(node, least, isOpen ? Infinity : parameters.length);
    const args = node.args.map((arg, at) => {
      const expr = this.#checker.check(arg, place);
      const parameter = parameters[Math.min(at, parameters.length - 1)];
      if (parameter !== undefined) this.#argument(node, at, { expr, parameter });
      return expr;
    });
    this.#fixedArguments(node, parameters);
    return { kind: 'call', name, ...this.#scalarResult(node, args, called) };
  }

  #scalarResult(
    node: CallNode,
    args: readonly Expr[],
    { result, mayBeNull, comparesArguments }: ScalarFunction,
  ): Pick<Extract<Expr, { kind: 'call' }>, 'args' | 'type' | 'nullable'> {
    const { start } = node.span;
    if (result === 'shared') {
      const { type, exprs } = this.#checker.oneType(args, start);
      return { args: exprs, type, nullable: mayBeNull || exprs.every((expr) => expr.nullable) };
    }
    if (comparesArguments === true) this.#checker.oneType(args, start);
    const nullable = mayBeNull || args.some((arg) => arg.nullable);
    return { args, type: scalarType(result, args[0]?.type ?? 'null'), nullable };
  }

  #argument(
    node: CallNode,
    at: number,
    { expr, parameter }: { readonly expr: Expr; readonly parameter: Parameter },
  ): void {
    const { type } = expr;
    const wanted = kindNames[parameter.kind];
    if (wanted === null || type === 'null' || fits(type, parameter.kind)) return;
    const message = `argument ${at + 1} of ${node.name} is ${named(type)}, not ${wanted}`;
    throw this.#fail(node.args[at] ?? node, message);
  }

  /** Patterns and their groups are constants, and are checked here. */
  #fixedArguments(node: CallNode, parameters: readonly Parameter[]): void {
    const at = parameters.findIndex(({ kind }) => kind === 'pattern');
    const patternNode = node.args[at];
    if (at < 0 || patternNode === undefined) return;
    const pattern = this.#checker.pattern(patternNode);
    const { groupCount } = this.#checker.context.evaluator.pattern(pattern);
    const group = node.args[at + 1];
    if (group === undefined) return;
    const isKnown = group.kind === 'integer' && group.value >= 0n && group.value <= groupCount;
    if (isKnown) return;
    throw this.#fail(group, `the group must be an integer from 0 to ${groupCount}`);
  }

  // Aggregates.

  #aggregate(name: AggregateName, node: CallNode, place: ExprPlace): Expr {
    const called: AggregateFunction = aggregateFunctions[name];
    if (place.aggregates === null) {
      const isSummed = place.refusal === kInAggregate && called.isPerSeries === true;
      const hint = isSummed ? `${name}(value) is the sum over the series of a group` : undefined;
      throw this.#fail(node, `${node.name}(…) ${place.refusal}`, hint);
    }
    if (!place.hasColumns) throw this.#lastly(node, `${node.name}(…) needs a FROM`);
    if (node.isStar && called.takesStar !== true) {
      throw this.#fail(node, `* is allowed only in ${forms(starNames, '*')}`);
    }
    if (node.isDistinct && called.distinct === undefined) {
      throw this.#fail(node, `DISTINCT is allowed only in ${forms(distinctNames, 'distinct …')}`);
    }
    const count = called.second === undefined ? 1 : 2;
    if (!node.isStar) this.#arity(node, count, count);
    const inner: ExprPlace = {
      ...place,
      aliases: new Map(),
      aggregates: null,
      windows: null,
      refusal: kInAggregate,
    };
    const argumentNode = node.args[0];
    const argument = argumentNode === undefined ? null : this.#checker.check(argumentNode, inner);
    this.#aggregateArgument(called, node, argument);
    const quantile = called.second === 'quantile' ? this.#quantile(name, node) : 0;
    const { isDistinct } = node;
    const argumentType = argument?.type ?? 'integer';
    const made = { name, argument, isDistinct, quantile, ...outcome(called, argumentType, place) };
    const which = `${name} ${made.isDistinct} ${quantile}`;
    const index = this.#indexOf(place.aggregates, made, which);
    return { kind: 'aggregate', index, type: made.type, nullable: made.nullable };
  }

  #aggregateArgument(called: AggregateFunction, node: CallNode, argument: Expr | null): void {
    if (argument === null) return;
    const { type } = argument;
    if (called.argument === 'any' || isNumeric(type) || type === 'null') return;
    const message = `${called.name} needs numbers, not ${named(type)}`;
    throw this.#fail(node.args[0] ?? node, message);
  }

  #quantile(name: AggregateName, node: CallNode): number {
    const wanted = node.args[1];
    const isNumber = wanted?.kind === 'integer' || wanted?.kind === 'float';
    const value = isNumber ? Number(wanted.value) : NaN;
    if (value >= 0 && value <= 1) return value;
    const message = `the second argument of ${name} must be a number from 0 to 1`;
    // Rounds away the digits that the division adds: 99.9 percent is 0.999.
    const share = Number((value / 100).toPrecision(12));
    const hint = value > 1 && value <= 100 ? `${value} percent is ${share}` : undefined;
    throw this.#fail(wanted ?? node, message, hint);
  }

  // Windows.

  #window(name: WindowName, node: CallNode, place: ExprPlace): Expr {
    if (place.windows === null) {
      const [refusal = ''] = place.refusal.split(';');
      const isWhere = place.refusal.includes('WHERE');
      const hint = isWhere ? 'name it in SELECT, and order by it desc limit 10' : undefined;
      throw this.#fail(node, `${node.name}(…) ${refusal}`, hint);
    }
    if (!place.hasColumns) throw this.#lastly(node, `${node.name}(…) needs a FROM`);
    const called: WindowFunction = windowFunctions[name];
    const { extent } = called;
    this.#arity(node, extent === null || extent.kind === 'rows' ? 1 : 2, extent === null ? 1 : 2);
    const argumentNode = node.args[0] ?? node;
    const argument = this.#checker.check(argumentNode, place);
    if (called.argument === 'number' && !isNumeric(argument.type) && argument.type !== 'null') {
      throw this.#fail(argumentNode, `${node.name} needs numbers, not ${named(argument.type)}`);
    }
    const { rows, duration } = this.#extent(extent, node);
    const type = windowType(called.result, argument.type);
    const which = `${name} ${rows} ${duration}`;
    const made = { name, argument, rows, duration, type };
    const index = this.#indexOf(place.windows, made, which);
    return { kind: 'window', index, type, nullable: true };
  }

  /**
   * The index of an equal entry, which is added if missing. Only this method adds to a list.
   * `which` and the argument identify an entry.
   */
  #indexOf<T extends PlannedAggregate | Window>(list: T[], made: T, which: string): number {
    const known = this.#places.get(list) ?? new Map<string, number>();
    this.#places.set(list, known);
    const { argument } = made;
    const text = `${which} ${argument === null ? '*' : this.#checker.ids.of(argument)}`;
    const place = known.get(text);
    if (place !== undefined) return place;
    known.set(text, list.length);
    return list.push(made) - 1;
  }

  /** Checks the second argument of a window. */
  #extent(wanted: ExtentParameter | null, node: CallNode): WindowExtent {
    const given = node.args[1];
    if (wanted === null || given === undefined) {
      return { rows: wanted?.kind === 'rows' ? wanted.fallback : 0, duration: null };
    }
    const fixed = this.#checker.check(given, constantPlace);
    const value = fixed.kind === 'literal' && typeof fixed.value === 'bigint' ? fixed.value : null;
    if (wanted.kind !== 'rows' && fixed.type === 'duration' && value !== null && value > 0n) {
      return { rows: 0, duration: value };
    }
    const takesRows = wanted.kind !== 'duration' && fixed.type === 'integer' && value !== null;
    if (takesRows && value >= wanted.least && value <= kWindowRowsMax) {
      return { rows: Number(value), duration: null };
    }
    throw this.#fail(given, `the second argument of ${node.name} must be ${extentName(wanted)}`);
  }
}

/** A list such as `count(…) and min(…)`. */
function forms(names: readonly string[], argument: string): string {
  return names.map((name) => `${name}(${argument})`).join(' and ');
}

function fits(type: StaticType, kind: ArgumentKind): boolean {
  switch (kind) {
    case 'any':
      return true;
    case 'number':
      return isNumeric(type);
    case 'integer':
    case 'group':
      return type === 'integer';
    case 'text':
    case 'pattern':
      return type === 'string';
  }
}

function scalarType(
  result: Exclude<ScalarFunction['result'], 'shared'>,
  first: StaticType,
): StaticType {
  switch (result) {
    case 'first':
      return first;
    case 'number':
      return first === 'timestamp' ? 'integer' : first;
    default:
      return result;
  }
}

/** FILL affects the type: a value between two counts is not an integer. */
function outcome(
  { result, isNeverNull }: AggregateFunction,
  argument: StaticType,
  { fill }: ExprPlace,
): Pick<PlannedAggregate, 'type' | 'nullable'> {
  const natural = aggregateType(result, argument);
  const isFloatFill =
    fill?.kind === 'linear' || (fill?.kind === 'constant' && typeof fill.value === 'number');
  const type = isFloatFill && natural === 'integer' ? 'float' : natural;
  const isFilledWithNull = fill !== null && fill.kind !== 'constant';
  return { type, nullable: isNeverNull !== true || isFilledWithNull };
}

function aggregateType(result: AggregateFunction['result'], argument: StaticType): ValueType {
  switch (result) {
    case 'sum':
      return sumType(argument);
    case 'first':
      return valueType(argument);
    default:
      return result;
  }
}

function windowType(result: WindowFunction['result'], argument: StaticType): ValueType {
  switch (result) {
    case 'float':
      return 'float';
    case 'sum':
      return sumType(argument);
    case 'difference':
      return argument === 'timestamp' ? 'duration' : sumType(argument);
    case 'first':
      return valueType(argument);
  }
}

function extentName(wanted: ExtentParameter): string {
  switch (wanted.kind) {
    case 'rows':
      return `rows from ${wanted.least}`;
    case 'rows or duration':
      return 'a number of rows or a duration';
    case 'duration':
      return 'a duration above 0';
  }
}
