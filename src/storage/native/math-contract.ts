/** Math functions of the C library; part of `contract.ts`. */

import type { NativeName } from './names.js';

/** `y` is the exponent of `pow`, otherwise ignored. */
export type MathFunction = (name: NativeName<'math'>, x: number, y: number) => number;
