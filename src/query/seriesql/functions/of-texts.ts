/** Shared parts of functions of text. If an argument is null, the result is null. */

import { utf8Size } from '../../../common/model/names.js';
import { requireMadeSize } from '../../limits/made-text.js';
import { noteTextWork } from '../../limits/text-work.js';

import type { Value } from '../../values/value.js';
import type { ScalarEvaluation, ScalarTools } from './scalar-function.js';

/** Units of text work per character of an argument, for making a text and scanning it. */
const kWorkPerUnit = 8;

/** `texts`: all arguments as text; `args`: the arguments unchanged. */
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

/**
 * Returns the text, made from one at most three times as long. Throws `query_limit_exceeded` if it
 * is too long.
 */
export function requiredMade(text: string): string {
  requireMadeSize(text.length, () => utf8Size(text));
  return text;
}
