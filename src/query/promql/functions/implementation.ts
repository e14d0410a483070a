/** What a function is to the evaluator. */

import type { AskedCall } from '../vectors/context.js';
import type { Value } from '../vectors/value.js';

export type Implementation = (asked: AskedCall) => Value | Promise<Value>;
export type Implementations = Readonly<Record<string, Implementation>>;
