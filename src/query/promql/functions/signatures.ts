/** The functions of PromQL: what they take and give. */

import type { ValueType } from '../syntax/ast.js';

export interface Signature {
  readonly args: readonly ValueType[];
  /** How many of the last argument may be there beyond all before it; null: any number. */
  readonly optional: number | null;
  readonly returns: ValueType;
  /** Whether Prometheus 3.5 asks for a flag before it offers it. */
  readonly isExperimental: boolean;
  /** Whether it makes texts or goes through them, so that one row may be long work. */
  readonly worksOnTexts: boolean;
}

type Form = readonly [args: string, returns?: ValueType];

const types: Readonly<Record<string, ValueType>> = {
  ...({ s: 'scalar', v: 'vector', m: 'matrix', t: 'string', l: 'vector' } as const),
};

/**
 * `args` has a letter for each: scalar, vector, matrix, text, or a vector whose labels it copies.
 * `?` makes the last one optional, `*` any number of it.
 */
const forms: readonly (readonly [Form, string])[] = [
  [['', 'scalar'], 'time pi'],
  [['v', 'scalar'], 'scalar'],
  [['s'], 'vector'],
  [['v?'], 'minute hour day_of_week day_of_month day_of_year days_in_month month year'],
  [['v'], 'timestamp abs ceil floor exp ln log2 log10 sqrt sgn sin cos tan asin acos atan'],
  [['v'], 'sinh cosh tanh asinh acosh atanh deg rad absent sort sort_desc'],
  [['vs?'], 'round'],
  [['vss'], 'clamp'],
  [['vs'], 'clamp_min clamp_max'],
  [['m'], 'rate increase delta irate idelta deriv changes resets'],
  [['m'], 'avg_over_time min_over_time max_over_time sum_over_time count_over_time'],
  [['m'], 'last_over_time present_over_time absent_over_time stddev_over_time stdvar_over_time'],
  [['ms'], 'predict_linear'],
  [['sm'], 'quantile_over_time'],
  [['vtttt'], 'label_replace'],
  [['vttt*'], 'label_join'],
  [['sv'], 'histogram_quantile'],
  [['ssv'], 'histogram_fraction'],
  [['v'], 'histogram_count histogram_sum histogram_avg histogram_stddev histogram_stdvar'],
];

const experimentalForms: typeof forms = [
  [['m'], 'mad_over_time ts_of_min_over_time ts_of_max_over_time ts_of_last_over_time'],
  [['mss'], 'double_exponential_smoothing'],
  [['vt*'], 'sort_by_label sort_by_label_desc'],
  [['vl?'], 'info'],
];

/** Not of Prometheus, but vmalert asks by it how long alerts were active before it started. */
export const kBorrowedFunction = 'default_rollup';

export const signatures: ReadonlyMap<string, Signature> = new Map([
  ...forms.flatMap((row) => signaturesOf(row, { isExperimental: false })),
  ...experimentalForms.flatMap((row) => signaturesOf(row, { isExperimental: true })),
  ...signaturesOf([['m'], kBorrowedFunction], { isExperimental: false }),
]);

function signaturesOf(
  [[args, returns = 'vector'], names]: (typeof forms)[number],
  { isExperimental }: Pick<Signature, 'isExperimental'>,
): readonly (readonly [string, Signature])[] {
  const optional = args.endsWith('*') ? null : args.endsWith('?') ? 1 : 0;
  const listed = Array.from(args.replace(/[?*]$/, ''), (one) => types[one] ?? 'vector');
  const worksOnTexts = /[tl]/.test(args);
  const signature = { args: listed, optional, returns, isExperimental, worksOnTexts };
  return names.split(' ').map((name) => [name, signature] as const);
}
