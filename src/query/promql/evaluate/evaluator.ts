/** Evaluates an expression at the steps of a frame. Each kind has its own file. */

import { AppError } from '../../../common/errors/app-error.js';
import { inSpans } from '../../limits/turns.js';
import { functionTable } from '../functions/function-table.js';
import { evaluateAggregation } from './aggregation.js';
import { evaluateBinary } from './binary.js';
import { isInvariant } from './invariant.js';
import { evaluateMatrix, evaluateSelector } from '../vectors/leaf.js';
import { droppingNames, repeated } from '../vectors/value.js';

import type { PromqlCall, PromqlExpression, Unary } from '../syntax/ast.js';
import type { Evaluate, EvaluationContext } from '../vectors/context.js';
import type { StepFrame, PromqlValue, VectorValue } from '../vectors/value.js';

export class PromqlEvaluator implements Evaluate {
  readonly context: EvaluationContext;

  constructor(context: EvaluationContext) {
    this.context = context;
  }

  async value(expression: PromqlExpression, frame: StepFrame): Promise<PromqlValue> {
    if (frame.count > 1 && isWorthOnce(expression)) {
      const once = await this.#valueNow(expression, { ...frame, count: 1 });
      return atAllSteps(once, frame.count, this.context);
    }
    return this.#valueNow(expression, frame);
  }

  async vector(expression: PromqlExpression, frame: StepFrame): Promise<VectorValue> {
    const value = await this.value(expression, frame);
    if (value.kind !== 'vector') throw unexpected(value.kind);
    return value;
  }

  async scalar(expression: PromqlExpression, frame: StepFrame): Promise<Float64Array> {
    const value = await this.value(expression, frame);
    if (value.kind !== 'scalar') throw unexpected(value.kind);
    return value.values;
  }

  #valueNow(expression: PromqlExpression, frame: StepFrame): PromqlValue | Promise<PromqlValue> {
    switch (expression.kind) {
      case 'number':
        return { kind: 'scalar', values: this.#filled(expression.value, frame) };
      case 'string':
        return { kind: 'string', text: expression.value };
      case 'selector':
        return evaluateSelector(this.context, expression, frame);
      case 'matrix':
      case 'subquery':
        return evaluateMatrix(this, expression, frame);
      case 'parens':
        return this.#valueNow(expression.of, frame);
      case 'unary':
        return this.#unary(expression, frame);
      case 'binary':
        return evaluateBinary({ binary: expression, frame, evaluate: this });
      case 'aggregation':
        return evaluateAggregation({ aggregation: expression, frame, evaluate: this });
      case 'call':
        return this.#call(expression, frame);
    }
  }

  #filled(value: number, { count }: StepFrame): Float64Array {
    return this.context.cells.make(count).fill(value);
  }

  #call(call: PromqlCall, frame: StepFrame): PromqlValue | Promise<PromqlValue> {
    const called = functionTable.get(call.name);
    if (called === undefined) throw new Error(`the function ${call.name} has no definition`);
    return called.evaluate({ call, frame, evaluate: this });
  }

  async #unary({ op, of }: Unary, frame: StepFrame): Promise<PromqlValue> {
    const value = await this.value(of, frame);
    if (op === '+' || value.kind === 'string' || value.kind === 'matrix') return value;
    const { values } = value;
    await inSpans(this.context.guard, { count: values.length }, (from, to) => {
      for (let cell = from; cell < to; cell += 1) values[cell] = -(values[cell] ?? NaN);
    });
    return value.kind === 'vector' ? droppingNames(value) : value;
  }
}

/** Literals are just as cheap at all steps. */
function isWorthOnce(expression: PromqlExpression): boolean {
  return expression.kind !== 'number' && expression.kind !== 'string' && isInvariant(expression);
}

/** Repeats the value of the only step at every step. */
async function atAllSteps(
  value: PromqlValue,
  count: number,
  context: EvaluationContext,
): Promise<PromqlValue> {
  const { cells } = context;
  if (value.kind === 'vector') return repeated(context, value, count);
  if (value.kind !== 'scalar') return value;
  const values = cells.make(count).fill(value.values[0] ?? NaN);
  cells.giveBack(value.values);
  return { kind: 'scalar', values };
}

function unexpected(kind: PromqlValue['kind']): AppError {
  return new AppError('execution_error', `a ${kind} is not expected here`);
}
