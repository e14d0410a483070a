/** Rules for combining types. */

import type { StaticType, ValueType } from '../../values/value.js';

export function isNumeric(type: StaticType): boolean {
  return type === 'integer' || type === 'float' || type === 'timestamp' || type === 'duration';
}

/** The type that holds values of both types, or null if there is none. */
export function sharedType(left: StaticType, right: StaticType): StaticType | null {
  if (left === right || right === 'null') return left;
  if (left === 'null') return right;
  if (!isNumeric(left) || !isNumeric(right)) return null;
  return left === 'float' || right === 'float' ? 'float' : 'integer';
}

/** The type of a sum of values of this type. */
export function sumType(type: StaticType): ValueType {
  return type === 'float' ? 'float' : 'integer';
}

/** The type of a result; a bare null is shown as text. */
export function valueType(type: StaticType): ValueType {
  return type === 'null' ? 'string' : type;
}
