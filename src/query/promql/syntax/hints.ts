/**
 * Hints for people who write an expression as another language has it. The messages are Prometheus'
 * own, so a hint stands behind a message.
 */

import { quotedNameAt } from './quoted-name.js';

/** Functions of other languages and their replacement here, by names in lower case. */
const foreignFunctions = new Map(
  (
    [
      ['mean average', 'write avg(m) over series, or avg_over_time(m[5m]) over time'],
      ['median', 'write quantile(0.5, m) over series, or quantile_over_time(0.5, m[5m]) over time'],
      ['percentile', 'write quantile(0.95, m) over series, or quantile_over_time(0.95, m[5m])'],
      ['last', 'a name alone is the last value; of a range write last_over_time(m[5m])'],
      ['first', 'write first_over_time(m[5m])'],
      ['top limit', 'write topk(3, m)'],
      ['bottom', 'write bottomk(3, m)'],
      ['stdev std stddev_pop stddev_samp', 'write stddev(m), or stddev_over_time(m[5m])'],
      ['variance var', 'write stdvar(m), or stdvar_over_time(m[5m])'],
      ['difference diff', 'write delta(m[5m]), of a counter increase(m[5m])'],
      ['derivative', 'write deriv(m[5m])'],
      ['non_negative_derivative per_second', 'write rate(m[5m])'],
      ['moving_average moving_avg', 'write avg_over_time(m[5m])'],
      ['coalesce ifnull', 'write a or b'],
      ['power pow', 'write a ^ b'],
      ['log', 'write ln(m), log2(m) or log10(m)'],
    ] as const
  ).flatMap(([names, hint]) => names.split(' ').map((name) => [name, hint] as const)),
);

const kFunction = /^unknown function with name "(\w+)"$/;
const kWantsRange = /expected type range vector in call to function "(\w+)", got instant vector$/;
const kSelector = /^[A-Za-z_:][\w:]*(?:\{[^{}]{0,60}\})?(?=\s*[,)])/;
const kWord = /^[\w.:/-]{1,40}/;
/** A letter for a unit in the wrong case. */
const kDuration = /^\d+(?:MS|[SMHDWY])\b/;

/** The hint for the error `message` at `offset` of `text`; undefined if there is none. */
export function hintFor(text: string, offset: number, message: string): string | undefined {
  const quoted = quotedNameAt(text, offset);
  if (quoted !== undefined) return `write ${quoted}`;
  const name = kFunction.exec(message)?.[1];
  if (name !== undefined) return foreignFunctions.get(name.toLowerCase());
  const wanting = kWantsRange.exec(message)?.[1];
  const rest = text.slice(offset);
  if (wanting !== undefined) return rangeHint(wanting, kSelector.exec(rest)?.[0]);
  if (message.startsWith('bad number or duration syntax')) {
    const duration = kDuration.exec(rest)?.[0];
    return duration === undefined ? undefined : `write ${duration.toLowerCase()}`;
  }
  if (message === 'ranges only allowed for vector selectors') {
    return 'a range over any other expression has a step: (…)[1h:5m]';
  }
  if (/^unexpected <(?:by|without)>$/.test(message)) {
    return 'only aggregations have groups, as in sum by (host) (rate(m[5m]))';
  }
  const word = kWord.exec(rest)?.[0];
  if (word === undefined) return undefined;
  if (message.endsWith('in label matching, expected string')) return `write "${word}"`;
  return message.endsWith('in grouping opts, expected "("') ? `write (${word})` : undefined;
}

function rangeHint(name: string, selector: string | undefined): string {
  return selector === undefined
    ? 'a range of time is written m[5m] behind a selector, and (…)[1h:5m] behind anything else'
    : `write ${name}(${selector}[5m])`;
}
