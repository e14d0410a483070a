/** The metric that decides whether an expression has a value. */

import { treeOf } from './faults.js';

import type { PromqlExpression, VectorSelector } from '../../query/promql/syntax/ast.js';

const kNameLabel = '__name__';
/** Functions that have a value where there are no samples. */
const kAbsent: readonly string[] = ['absent', 'absent_over_time'];

export interface OneMetric {
  readonly metric: string;
  /** False if a selector may leave out some series of the metric. */
  readonly isWhole: boolean;
}

/**
 * The metric whose current values the expression selects; null where it is not one alone, or where
 * samples of other times or missing ones decide.
 */
export function oneMetric(text: string): OneMetric | null {
  try {
    const parts = selectorsIn(treeOf(text)).map((one) => (one === null ? null : partOf(one)));
    const [first = null] = parts;
    if (first === null || parts.some((part) => part?.metric !== first.metric)) return null;
    return { metric: first.metric, isWhole: parts.every((part) => part?.isWhole === true) };
  } catch {
    // It is no expression, or one too deep to look into.
    return null;
  }
}

/** Null of a selector without a name. */
function partOf({ matchers }: VectorSelector): OneMetric | null {
  const name = matchers.find(({ key, op }) => key === kNameLabel && op === '=');
  return name === undefined ? null : { metric: name.value, isWhole: matchers.length === 1 };
}

/** Null for a part that does not select the values of its own time. */
function selectorsIn(node: PromqlExpression): readonly (VectorSelector | null)[] {
  switch (node.kind) {
    case 'selector':
      return [node.offset === null && node.at === null ? node : null];
    case 'matrix':
    case 'subquery':
      return [null];
    case 'binary':
      return [...selectorsIn(node.left), ...selectorsIn(node.right)];
    case 'call':
      return kAbsent.includes(node.name) ? [null] : node.args.flatMap(selectorsIn);
    case 'aggregation':
      return [node.parameter, node.of].flatMap((one) => (one === null ? [] : selectorsIn(one)));
    case 'number':
    case 'string':
      return [];
    default:
      return selectorsIn(node.of);
  }
}
