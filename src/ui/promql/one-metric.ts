/** Of which metric an expression is. */

import { treeOf } from './faults.js';

import type { Expression } from '../../query/promql/syntax/ast.js';

const kNameLabel = '__name__';

/** The metric that an expression selects; null where it is not one alone. */
export function oneMetric(text: string): string | null {
  try {
    const names = new Set(namesIn(treeOf(text)));
    const [name = null] = names;
    return names.size === 1 ? name : null;
  } catch {
    // It is no expression, or one too deep to look into.
    return null;
  }
}

/** Null of a selector without a name. */
function namesIn(node: Expression): readonly (string | null)[] {
  switch (node.kind) {
    case 'selector': {
      const matcher = node.matchers.find(({ key, op }) => key === kNameLabel && op === '=');
      return [matcher?.value ?? null];
    }
    case 'binary':
      return [...namesIn(node.left), ...namesIn(node.right)];
    case 'call':
      return node.args.flatMap(namesIn);
    case 'number':
    case 'string':
      return [];
    default:
      return namesIn(node.of);
  }
}
