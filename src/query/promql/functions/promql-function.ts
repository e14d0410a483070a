/** One function of PromQL: all that parser, checker, evaluator, documents and completion know. */

import type { Signature, PromqlType } from '../syntax/ast.js';
import type { AskedCall } from '../vectors/context.js';
import type { PromqlValue } from '../vectors/value.js';

type Evaluation = (asked: AskedCall) => PromqlValue | Promise<PromqlValue>;

export interface PromqlDocumentation {
  /** One sentence, with a full stop. */
  readonly sentence: string;
  /** An expression over the series that docs/promql.md loads, evaluated at 10m. */
  readonly example: string;
  /** The elements of the answer in Prometheus' test notation, with `, ` between them. */
  readonly answer: string;
}

export interface PromqlFunction {
  readonly name: string;
  readonly signature: Signature;
  readonly documentation: PromqlDocumentation;
  /** True if it makes texts or reads them, so that one row may be long work. */
  readonly worksOnTexts: boolean;
  readonly evaluate: Evaluation;
}

interface Definition extends PromqlDocumentation {
  readonly name: string;
  readonly takes: readonly PromqlType[];
  /** How often the last of `takes` may be left out or repeated; 'any': any number of times. */
  readonly optional?: number | 'any';
  /** 'vector' if absent. */
  readonly returns?: PromqlType;
  readonly isExperimental?: boolean;
  /** True if absent for a function that takes a string. */
  readonly worksOnTexts?: boolean;
  readonly evaluate: Evaluation;
}

export function definePromql(definition: Definition): PromqlFunction {
  const { name, takes, optional = 0, returns = 'vector', isExperimental = false } = definition;
  const { sentence, example, answer, evaluate } = definition;
  return {
    name,
    signature: {
      ...{ args: takes, returns, isExperimental },
      optional: optional === 'any' ? null : optional,
    },
    documentation: { sentence, example, answer },
    worksOnTexts: definition.worksOnTexts ?? takes.includes('string'),
    evaluate,
  };
}
