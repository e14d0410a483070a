/**
 * The interface through which a scalar function becomes steps of a program for the addon. The
 * compiled engine implements it and merges equal steps.
 */

import type { NativeName } from '../../../storage/storage.js';
import type { StaticType, Value } from '../../values/value.js';

export type Op = NativeName<'ops'>;

/** The type of a register in the addon. Timestamps and durations are integers, texts are ranks. */
export type RegisterType = 'integer' | 'float' | 'boolean';

/** The result of a step. */
export interface Register {
  readonly at: number;
  readonly type: RegisterType;
}

/** Thrown if the expression does not fit the addon; TypeScript then evaluates it. */
export class NotLowered extends Error {}

export interface LoweredArgument {
  /** True if it is null in every row. */
  readonly isNull: boolean;
  /** Undefined if the argument is not a literal. */
  readonly literal: Value | undefined;
  /**
   * Lowers the argument. `wanted` is the register type of an always-null argument (default float).
   */
  register(wanted?: RegisterType): Register;
}

/** The program that receives the steps. Every method throws NotLowered if there are too many. */
export interface Lowering {
  /** The operands of each op are documented at `nativeNames.ops`. */
  step(op: Op, type: RegisterType, operands?: readonly number[]): Register;
  /** The index of a constant. */
  floatPlace(value: number): number;
  /** The index of the powers of ten that `round` needs for any number of digits. */
  powersPlace(): number;
  constant(value: bigint | number): Register;
  null(type: RegisterType): Register;
  toFloat(register: Register): Register;
  isEqual(left: Register, right: Register): Register;
  select(when: Register, then: Register, otherwise: Register): Register;
}

/** The register type of values of this static type; null for text. */
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

/** As registerType, but a text is held as the integer of its rank. */
export function heldType(type: StaticType): RegisterType | null {
  return type === 'string' ? 'integer' : registerType(type);
}
