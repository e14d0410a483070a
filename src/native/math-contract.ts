/** What `contract.ts` says of the functions whose last digit is the C library's. */

/** Their codes are their places here. */
export const nativeMath = ['exp', 'ln', 'log10', 'log2', 'pow'] as const;

/** `y` is the exponent of `pow` and otherwise not looked at. */
export type MathFunction = (name: (typeof nativeMath)[number], x: number, y: number) => number;
