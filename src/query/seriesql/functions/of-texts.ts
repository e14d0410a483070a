/** What functions of text have in common. Null in is null out. */

import { utf8Size } from '../../../common/model/names.js';
import { requireMadeSize } from '../../limits/made-text.js';
import { noteTextWork } from '../../limits/text-work.js';

import type { Value } from '../../values/value.js';
import type { ScalarEvaluation, ScalarTools } from './scalar-function.js';

/** To make, and to walk through, a text takes some units of work for each of its own. */
const kWorkPerUnit = 8;

/** `texts` are all arguments as text, `args` as they are. */
export function ofText(
  compute: (texts: readonly string[], args: readonly Value[], tools: ScalarTools) => Value,
): ScalarEvaluation {
  return (args, tools) => {
    if (args.includes(null)) return null;
    const texts = args.map(String);
    for (const { length } of texts) noteTextWork(length * kWorkPerUnit);
    return compute(texts, args, tools);
  };
}

/** A text that was made of one at most three times as long. Throws `query_limit_exceeded`. */
export function requiredMade(text: string): string {
  requireMadeSize(text.length, () => utf8Size(text));
  return text;
}
