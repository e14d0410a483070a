/** Evaluates operators between two expressions. */

import { AppError } from '../../../common/errors/app-error.js';
import { eachRow, type AskedBinary, type EvaluationContext } from '../vectors/context.js';
import { comparedLeaf } from './compared-leaf.js';
import { matchVectors } from './match-vectors.js';
import { compare, compute, isComparison, isSetOp, type ValueOp } from '../vectors/operators.js';
import { combineSets, unite } from './set-operators.js';
import { droppingNames, presenceOf, withoutEmptyRows } from '../vectors/value.js';

import type { PromqlBinary, PromqlExpression, VectorMatching } from '../syntax/ast.js';
import type { ScalarValue, PromqlValue, VectorValue } from '../vectors/value.js';

/**
 * The heap of an operand until its operator is done, in bytes: its tree, its read and its promises.
 * All operands of a chain are read at the same time.
 */
const kOperandBytes = 5 * 1024;

/** Throws `query_limit_exceeded` before it reads operands that do not fit into the heap. */
export async function evaluateBinary(asked: AskedBinary): Promise<PromqlValue> {
  const { binary, evaluate } = asked;
  const { texts } = evaluate.context.guard;
  const operands = binary.op === 'or' ? operandsOf(binary) : [binary.right];
  const bytes = kOperandBytes * operands.length;
  texts.hold(bytes);
  try {
    return await combined(asked, operands);
  } finally {
    texts.giveBack(bytes);
  }
}

async function combined(
  asked: AskedBinary,
  operands: readonly PromqlExpression[],
): Promise<PromqlValue> {
  const { binary, frame, evaluate } = asked;
  if (binary.op === 'or') return union(asked, operands);
  const compared = await comparedLeaf(asked);
  if (compared !== null) return compared;
  const [left, right] = await Promise.all([
    evaluate.value(binary.left, frame),
    evaluate.value(binary.right, frame),
  ]);
  const { context } = evaluate;
  if (left.kind === 'vector' && right.kind === 'vector') {
    return isSetOp(binary.op)
      ? combineSets(context, { op: binary.op, left, right, matching: binary.matching })
      : matchVectors(context, { binary, op: binary.op, left, right });
  }
  if (isSetOp(binary.op)) throw misplaced();
  const { op } = binary;
  if (left.kind === 'scalar' && right.kind === 'scalar') {
    return scalars(context, op, { left, right });
  }
  if (left.kind === 'vector' && right.kind === 'scalar') {
    return withScalar(context, { binary, op, vector: left, scalar: right, isSwapped: false });
  }
  if (left.kind === 'scalar' && right.kind === 'vector') {
    return withScalar(context, { binary, op, vector: right, scalar: left, isSwapped: true });
  }
  throw misplaced();
}

async function union(
  { binary, frame, evaluate }: AskedBinary,
  operands: readonly PromqlExpression[],
): Promise<VectorValue> {
  const { matching } = binary;
  const values = await Promise.all(operands.map((operand) => evaluate.value(operand, frame)));
  const [first, ...others] = values.map((value) => {
    if (value.kind === 'vector') return value;
    throw misplaced();
  });
  if (first === undefined) throw misplaced();
  return unite(evaluate.context, [first, ...others], matching);
}

/**
 * The operands of `a or b or c`, which is `(a or b) or c`. Stops at an `or` with another matching.
 */
function operandsOf({ left, right, matching }: PromqlBinary): readonly PromqlExpression[] {
  const operands = [right];
  let rest = left;
  while (rest.kind === 'binary' && rest.op === 'or' && isAlike(rest.matching, matching)) {
    operands.push(rest.right);
    rest = rest.left;
  }
  return [...operands, rest].reverse();
}

function isAlike(one: VectorMatching | null, other: VectorMatching | null): boolean {
  const [labels, others] = [one?.labels ?? [], other?.labels ?? []];
  if (one?.isOn !== other?.isOn || labels.length !== others.length) return false;
  return labels.every((label, place) => label === others[place]);
}

function misplaced(): AppError {
  return new AppError(
    'execution_error',
    'an operator stands between values that it has nothing for',
  );
}

interface Scalars {
  readonly left: ScalarValue;
  readonly right: ScalarValue;
}

async function scalars(
  context: EvaluationContext,
  op: ValueOp,
  { left: { values }, right: { values: others } }: Scalars,
): Promise<ScalarValue> {
  await eachRow(context, { rowCount: values.length, steps: 0 }, (step) => {
    const [value, other] = [values[step] ?? NaN, others[step] ?? NaN];
    if (isComparison(op)) values[step] = compare(op, value, other) ? 1 : 0;
    else values[step] = compute(op, value, other);
  });
  context.cells.giveBack(others);
  return { kind: 'scalar', values };
}

interface WithScalar {
  readonly binary: PromqlBinary;
  readonly op: ValueOp;
  readonly vector: VectorValue;
  readonly scalar: ScalarValue;
  /** True if the scalar is on the left. */
  readonly isSwapped: boolean;
}

async function withScalar(context: EvaluationContext, asked: WithScalar): Promise<VectorValue> {
  const { binary, op, vector } = asked;
  const steps = asked.scalar.values.length;
  if (!isComparison(op)) {
    await eachRow(context, { rowCount: vector.labels.rowCount, steps }, (row) => {
      computeRow(asked, op, row);
    });
    context.cells.giveBack(asked.scalar.values);
    return droppingNames(vector);
  }
  const compared = binary.isBool ? vector : { ...vector, present: presenceOf(vector) };
  await eachRow(context, { rowCount: vector.labels.rowCount, steps }, (row) => {
    compareRow({ ...asked, vector: compared }, op, row);
  });
  context.cells.giveBack(asked.scalar.values);
  return binary.isBool ? droppingNames(compared) : withoutEmptyRows(compared, context.guard);
}

function computeRow(
  { vector: { values }, scalar, isSwapped }: WithScalar,
  op: Exclude<ValueOp, Parameters<typeof compare>[0]>,
  row: number,
): void {
  const steps = scalar.values.length;
  for (let step = 0; step < steps; step += 1) {
    const [value, other] = [values[row * steps + step] ?? NaN, scalar.values[step] ?? NaN];
    values[row * steps + step] = isSwapped ? compute(op, other, value) : compute(op, value, other);
  }
}

function compareRow(
  { binary, vector: { values, present }, scalar, isSwapped }: WithScalar,
  op: Parameters<typeof compare>[0],
  row: number,
): void {
  const steps = scalar.values.length;
  for (let step = 0; step < steps; step += 1) {
    const cell = row * steps + step;
    const [value, other] = [values[cell] ?? NaN, scalar.values[step] ?? NaN];
    const isTrue = isSwapped ? compare(op, other, value) : compare(op, value, other);
    if (binary.isBool) values[cell] = isTrue ? 1 : 0;
    else if (!isTrue && present !== null) present[cell] = 0;
  }
}
