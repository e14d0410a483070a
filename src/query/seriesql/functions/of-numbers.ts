/** Shared parts of functions of numbers. If an argument is null, the result is null. */

import { nativeNames, type NativeName } from '../../../storage/storage.js';
import { checkedFloat, type Value } from '../../values/value.js';

import type { Op } from './lowering.js';
import type { ScalarEvaluation, ScalarFunction } from './scalar-function.js';

/** The evaluation and the lowering of a function. */
type NumberWork = Pick<ScalarFunction, 'evaluate' | 'lower'>;

/** Keeps the type of the first argument; a second argument is a number of digits. */
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

/** Rounds to a whole number. Integers stay as they are. */
export function ofWhole(op: Op, round: (value: number) => number): NumberWork {
  return {
    evaluate: ofNumber((value) => value, round),
    lower: ({ args: [x] }, to) => {
      const value = x.register();
      return value.type === 'integer' ? value : to.step(op, 'float', [value.at]);
    },
  };
}

/** A float function of one or two numbers. Both engines share the implementation. */
export function ofMath(
  name: NativeName<'math'>,
  ofScript: (x: number, y: number) => number,
): NumberWork {
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
