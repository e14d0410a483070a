/**
 * What a scalar function is: values of one row in, one value out. There is one file for each below
 * `scalar/`, and `scalar-functions.ts` is made from their names. A part that is forgotten does not
 * compile, since every part of this type that is not optional must stand in the file, and a name
 * that differs from that of the file neither; so no test asks for either.
 */

import type { MathFunction } from '../../../storage/storage.js';
import type { StaticType, Value, ValueType } from '../../values/value.js';
import type { Documentation } from './documentation.js';
import type { LoweredArgument, Lowering, Register } from './lowering.js';
import type { Pattern } from '../../values/pattern.js';

/** What an argument must be. A `pattern` and its `group` are fixed when the query is read. */
export type ArgumentKind = 'number' | 'text' | 'any' | 'integer' | 'pattern' | 'group';

export interface Parameter {
  /** As the documents call it. */
  readonly name: string;
  readonly kind: ArgumentKind;
  /** May be left out, as may all that follow. */
  readonly isOptional?: true;
  /** Of the last one: stands for all further arguments. */
  readonly isRepeated?: true;
}

/** What functions need of their surroundings. */
export interface ScalarTools {
  readonly patternOf: (source: string) => Pattern;
  /** Null: as JavaScript computes them. */
  readonly math: MathFunction | null;
}

/** The arguments were checked: their number and types fit. */
export type ScalarEvaluation = (args: readonly Value[], tools: ScalarTools) => Value;

/** A call whose arguments can be lowered. */
interface ScalarCall {
  /** At least one, as many as the parameters say. */
  readonly args: readonly [LoweredArgument, ...LoweredArgument[]];
  /** Of the result. */
  readonly type: StaticType;
}

export interface ScalarFunction<Name extends string = string> {
  /** As it is written in a query, in small letters. */
  readonly name: Name;
  readonly documentation: Documentation;
  readonly parameters: readonly [Parameter, ...Parameter[]];
  /**
   * `first`: the type of the first argument; `number`: the same, but of a timestamp an integer;
   * `shared`: the one type that all arguments have, and null only where all of them are, unless
   * `mayBeNull`.
   */
  readonly result: ValueType | 'first' | 'number' | 'shared';
  /** Whether the result may be null although no argument is. */
  readonly mayBeNull: boolean;
  /** Compares its arguments with one another, so that they need a type in common. */
  readonly comparesArguments?: true;
  /** Of texts it gives the first that is not null, and never a new one. */
  readonly choosesText?: true;
  readonly evaluate: ScalarEvaluation;
  /**
   * The steps of the addon that give the same, or NotLowered thrown for some arguments; null: only
   * the interpreter evaluates it.
   */
  readonly lower: ((call: ScalarCall, to: Lowering) => Register) | null;
}

export function defineScalar<const Name extends string>(
  parts: ScalarFunction<Name>,
): ScalarFunction<Name> {
  return parts;
}
