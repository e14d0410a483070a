/** What functions of numbers have in common. Null in is null out. */

import { nativeNames, type NativeName } from '../../../storage/storage.js';
import { checkedFloat, type Value } from '../../values/value.js';

import type { Op } from './lowering.js';
import type { ScalarEvaluation, ScalarFunction } from './scalar-function.js';

/** How a function evaluates and lowers. */
type Work = Pick<ScalarFunction, 'evaluate' | 'lower'>;

/** Keeps the type of its first argument; a second one is a number of digits. */
export function ofNumber(
  ofInteger: (value: bigint, digits: number) => Value,
  ofFloats: (value: number, digits: number) => Value,
): ScalarEvaluation {
  return (args) => {
    if (args.includes(null)) return null;
    const [value, digits = 0n] = args;
    if (typeof value === 'bigint') return ofInteger(value, Number(digits));
    return ofFloats(Number(value), Number(digits));
  };
}

/** One step of the addon over integers and floats. */
export function keepingType(op: Op): ScalarFunction['lower'] {
  return ({ args: [x] }, to) => {
    const value = x.register();
    return to.step(op, value.type, [value.at]);
  };
}

/** A whole number: an integer is one already. */
export function ofWhole(op: Op, round: (value: number) => number): Work {
  return {
    evaluate: ofNumber((value) => value, round),
    lower: ({ args: [x] }, to) => {
      const value = x.register();
      return value.type === 'integer' ? value : to.step(op, 'float', [value.at]);
    },
  };
}

/** Makes a float of one or two numbers, by the function that both engines share. */
export function ofMath(name: NativeName<'math'>, ofScript: (x: number, y: number) => number): Work {
  return {
    evaluate: (args, { math }) => {
      if (args.includes(null)) return null;
      const [x, y] = [Number(args[0]), Number(args[1] ?? 0)];
      return checkedFloat(math === null ? ofScript(x, y) : math(name, x, y));
    },
    lower: ({ args: [first, second] }, to) => {
      const x = to.toFloat(first.register());
      const y = second === undefined ? x : to.toFloat(second.register());
      return to.step('math', 'float', [x.at, y.at, nativeNames.math.indexOf(name)]);
    },
  };
}
