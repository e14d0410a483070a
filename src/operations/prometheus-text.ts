/** PromQL operations on text only: formatting, result type, series selectors. */

import { AppError } from '../common/errors/app-error.js';
import { parsePromql } from '../query/promql/parse.js';
import { prettyPromql } from '../query/promql/print/pretty.js';
import { parseError } from '../query/promql/syntax/text-place.js';

import type { SeriesMatcher } from '../common/model/series-matcher.js';

/** Throws `parse_failed`. */
export function formatPromql(text: string): string {
  return prettyPromql(parsePromql(text));
}

/** The most selectors per request. A thousand of them parse in 20 ms. */
const kSelectorsMax = 1000;

/**
 * Parses selectors. Every matcher of a selector must hold. Throws `parse_failed` for an invalid
 * selector, and `validation_failed` for more than `kSelectorsMax`.
 */
export function parseSelectors(texts: readonly string[]): readonly (readonly SeriesMatcher[])[] {
  if (texts.length > kSelectorsMax) {
    throw new AppError(
      'validation_failed',
      `invalid parameter "match[]": there are ${texts.length}; at most ${kSelectorsMax} are allowed`,
    );
  }
  return texts.map((text) => asParameter('match[]', () => matchersOf(text)));
}

/** Adds the parameter's name to errors of `parse`, as Prometheus does. */
export function asParameter<Parsed>(name: string, parse: () => Parsed): Parsed {
  try {
    return parse();
  } catch (error) {
    throw ofParameter(name, error);
  }
}

/** Adds the parameter's name to one error. Errors that do not concern the text stay unchanged. */
export function ofParameter(name: string, error: unknown): unknown {
  if (!(error instanceof AppError)) return error;
  const { code, message, hint } = error;
  if (code !== 'parse_failed' && code !== 'validation_failed') return error;
  const told = hint === undefined ? message : `${message}; ${hint}`;
  return new AppError(code, `invalid parameter "${name}": ${told}`, { cause: error });
}

function matchersOf(text: string): readonly SeriesMatcher[] {
  const expression = parsePromql(text);
  if (expression.kind !== 'selector' || expression.offset !== null || expression.at !== null) {
    throw parseError(text, expression.place.start, 'only a series selector is allowed here');
  }
  return expression.matchers;
}
