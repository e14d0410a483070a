/** What functions of text have in common. Null in is null out. */

import type { Value } from '../language/value.js';
import type { ScalarEvaluation, ScalarTools } from './scalar-function.js';

/** In UTF-16 units. A longer text is null, as a number past its range is. */
export const kTextMax = 65_536;

/** `texts` are all arguments as text, `args` as they are. */
export function ofText(
  compute: (texts: readonly string[], args: readonly Value[], tools: ScalarTools) => Value,
): ScalarEvaluation {
  return (args, tools) => (args.includes(null) ? null : compute(args.map(String), args, tools));
}
