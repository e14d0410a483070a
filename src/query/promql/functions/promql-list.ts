/** The functions as parser, documents and completion need them: data without evaluation. */

import { functionTable } from './function-table.js';

import type { Signature } from '../syntax/ast.js';
import type { PromqlDocumentation } from './promql-function.js';

interface ListedPromqlFunction extends PromqlDocumentation {
  readonly name: string;
  /** How to write it, such as `round(vector [, scalar])`. */
  readonly form: string;
  readonly signature: Signature;
}

const spoken = { scalar: 'scalar', vector: 'vector', matrix: 'range', string: 'text' } as const;

/** In the order of documents: by group. */
export const promqlList: readonly ListedPromqlFunction[] = Array.from(
  functionTable.values(),
  ({ name, signature, documentation }) => ({
    ...{ name, form: formOf(name, signature), signature },
    ...documentation,
  }),
);

function formOf(name: string, { args, optional, returns }: Signature): string {
  const needed = args.slice(0, optional === 0 ? args.length : -1).map((type) => spoken[type]);
  const last = args.at(-1);
  const more = optional === 0 || last === undefined ? '' : ` [, ${spoken[last]}]`;
  const many = optional === null ? '…' : '';
  const gives = returns === 'vector' ? '' : ` → ${spoken[returns]}`;
  return `${name}(${needed.join(', ')}${more}${many})${gives}`.replace('( [, ', '([');
}
