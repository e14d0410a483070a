/**
 * What a scalar function needs to become steps of a program for the addon. The compiled engine
 * implements it; equal steps are one.
 */

import type { NativeName } from '../../../storage/storage.js';
import type { StaticType, Value } from '../../values/value.js';

export type Op = NativeName<'ops'>;

/** What a register of the addon holds: timestamps and durations are integers, texts their ranks. */
export type RegisterType = 'integer' | 'float' | 'boolean';

/** The result of a step. */
export interface Register {
  readonly at: number;
  readonly type: RegisterType;
}

/** The expression does not fit the addon; it is evaluated in TypeScript. */
export class NotLowered extends Error {}

export interface LoweredArgument {
  /** Whether it is null in every row. */
  readonly isNull: boolean;
  /** Undefined when the argument is no literal. */
  readonly literal: Value | undefined;
  /** Lowers it. `wanted` is the type of one that is always null, else a float. */
  register(wanted?: RegisterType): Register;
}

/** Where steps are added. All of it throws NotLowered when there are too many. */
export interface Lowering {
  /** At `nativeNames.ops` stands where to read what each takes. */
  step(op: Op, type: RegisterType, operands?: readonly number[]): Register;
  /** The place of a constant. */
  floatPlace(value: number): number;
  /** The place of the powers of ten that round to any number of digits. */
  powersPlace(): number;
  constant(value: bigint | number): Register;
  null(type: RegisterType): Register;
  toFloat(register: Register): Register;
  isEqual(left: Register, right: Register): Register;
  select(when: Register, then: Register, otherwise: Register): Register;
}

/** The type that a value of this static type has; null for text. */
export function registerType(type: StaticType): RegisterType | null {
  switch (type) {
    case 'integer':
    case 'timestamp':
    case 'duration':
      return 'integer';
    case 'float':
    case 'boolean':
      return type;
    default:
      return null;
  }
}

/** The same with the rank of a text. */
export function heldType(type: StaticType): RegisterType | null {
  return type === 'string' ? 'integer' : registerType(type);
}
