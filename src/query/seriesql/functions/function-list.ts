/** The list of functions for documents and completion. */

import { aggregateFunctions } from './aggregate-functions.js';
import { scalarFunctions } from './scalar-functions.js';
import { windowFunctions } from './window-functions.js';

import type { AggregateFunction } from './aggregate-function.js';
import type { Documentation } from './documentation.js';
import type { Parameter, ScalarFunction } from './scalar-function.js';
import type { WindowFunction } from './window-function.js';

export interface ListedFunction extends Documentation {
  readonly name: string;
  readonly kind: 'scalar' | 'aggregate' | 'window';
  /** Each way to call it, such as `round(x [, digits])`. */
  readonly forms: readonly string[];
  /** True if the addon can compute it, at least for some arguments. */
  readonly isLowered: boolean;
}

const scalars: readonly ScalarFunction[] = Object.values(scalarFunctions);
const aggregates: readonly AggregateFunction[] = Object.values(aggregateFunctions);
const windows: readonly WindowFunction[] = Object.values(windowFunctions);

/** Ordered by kind, then by name. */
export const functionList: readonly ListedFunction[] = [
  ...scalars.map((one) => ({
    ...({ name: one.name, kind: 'scalar', isLowered: one.lower !== null } as const),
    ...{ forms: [formOfScalar(one)], ...one.documentation },
  })),
  ...aggregates.map((one) => ({
    ...({ name: one.name, kind: 'aggregate', isLowered: one.lower !== null } as const),
    ...{ forms: formsOfAggregate(one), ...one.documentation },
  })),
  ...windows.map((one) => ({
    ...({ name: one.name, kind: 'window', isLowered: false } as const),
    ...{ forms: [formOfWindow(one)], ...one.documentation },
  })),
];

function formOfScalar({ name, parameters }: ScalarFunction): string {
  const texts = parameters.map((parameter, at) => formOfParameter(parameter, at > 0));
  return `${name}(${texts.join('')})`;
}

function formOfParameter({ name, isOptional, isRepeated }: Parameter, follows: boolean): string {
  const text = `${follows ? ', ' : ''}${name}${isRepeated === true ? ', …' : ''}`;
  return isOptional === true ? ` [${text}]` : text;
}

function formsOfAggregate(one: AggregateFunction): readonly string[] {
  const { name, second, takesStar, distinct } = one;
  return [
    ...(takesStar === true ? [`${name}(*)`] : []),
    `${name}(x${second === 'quantile' ? ', q' : ''})`,
    ...(distinct === undefined ? [] : [`${name}(distinct x)`]),
  ];
}

function formOfWindow({ name, extent }: WindowFunction): string {
  switch (extent?.kind) {
    case undefined:
      return `${name}(x)`;
    case 'rows':
      return `${name}(x [, rows])`;
    case 'rows or duration':
    case 'duration':
      return `${name}(x, ${extent.kind})`;
  }
}
