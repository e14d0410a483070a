/** What `contract.ts` says of the functions whose last digit is the C library's. */

import type { NativeName } from './names.js';

/** `y` is the exponent of `pow` and otherwise not looked at. */
export type MathFunction = (name: NativeName<'math'>, x: number, y: number) => number;
