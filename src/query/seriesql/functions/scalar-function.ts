/**
 * A scalar function: takes the values of one row, returns one value. Each has a file below
 * `scalar/`, and `scalar-functions.ts` is generated from the file names. The compiler rejects a
 * missing part, and a name that differs from the file's, so no test checks either.
 */

import type { MathFunction } from '../../../storage/storage.js';
import type { StaticType, Value, ValueType } from '../../values/value.js';
import type { Documentation } from './documentation.js';
import type { LoweredArgument, Lowering, Register } from './lowering.js';
import type { Pattern } from '../../values/pattern.js';

/** The kind of an argument. A `pattern` and its `group` are constant for the query. */
export type ArgumentKind = 'number' | 'text' | 'any' | 'integer' | 'pattern' | 'group';

export interface Parameter {
  /** The name in the documents. */
  readonly name: string;
  readonly kind: ArgumentKind;
  /** May be omitted, together with all later arguments. */
  readonly isOptional?: true;
  /** Only for the last parameter: it stands for all further arguments. */
  readonly isRepeated?: true;
}

/** The environment of an evaluation. */
export interface ScalarTools {
  readonly patternOf: (source: string) => Pattern;
  /** Null: JavaScript's own functions. */
  readonly math: MathFunction | null;
}

/** The number and types of the arguments are already checked. */
export type ScalarEvaluation = (args: readonly Value[], tools: ScalarTools) => Value;

/** A call whose arguments can be lowered. */
interface ScalarCall {
  /** At least one, as many as the parameters allow. */
  readonly args: readonly [LoweredArgument, ...LoweredArgument[]];
  /** The type of the result. */
  readonly type: StaticType;
}

export interface ScalarFunction<Name extends string = string> {
  /** The name in a query, in lower case. */
  readonly name: Name;
  readonly documentation: Documentation;
  readonly parameters: readonly [Parameter, ...Parameter[]];
  /**
   * `first`: the type of the first argument. `number`: the same, but an integer for a timestamp.
   * `shared`: the common type of all arguments; null only if all of them are null, unless
   * `mayBeNull`.
   */
  readonly result: ValueType | 'first' | 'number' | 'shared';
  /** True if the result may be null although no argument is. */
  readonly mayBeNull: boolean;
  /** Compares its arguments with one another, so they need a common type. */
  readonly comparesArguments?: true;
  /** For texts, it returns the first non-null argument and never a new text. */
  readonly choosesText?: true;
  readonly evaluate: ScalarEvaluation;
  /**
   * The equivalent steps of the addon; throws NotLowered for some arguments. Null: only the
   * interpreter evaluates the function.
   */
  readonly lower: ((call: ScalarCall, to: Lowering) => Register) | null;
}

export function defineScalar<const Name extends string>(
  parts: ScalarFunction<Name>,
): ScalarFunction<Name> {
  return parts;
}
