/**
 * A SELECT as instructions for a stack machine, for EXPLAIN BYTECODE. It shows the work done once,
 * per series, per sample and per row of the answer.
 */

import { partsOf } from '../plan/check/expr.js';
import { printValue } from '../plan/evaluate.js';
import { rowOf } from '../plan/operator-row.js';

import { printAggregate, printBucket, printIntervals, selectionText } from './print.js';

import type { Expr, StatementPlan, SelectPlan } from '../plan/plan.js';

interface Instruction {
  readonly op: string;
  readonly args: string;
  readonly comment: string;
}

export function bytecodeOf(
  plan: Exclude<StatementPlan, { kind: 'explain' }>,
): readonly Instruction[] {
  if (plan.kind === 'select') return new Assembler(plan).run();
  const op = plan.kind === 'show' ? 'SHOW' : plan.kind === 'insert' ? 'INSERT' : 'DELETE';
  const target = plan.kind === 'insert' ? plan.name : selectionText(plan.selection);
  return [
    { op, args: target, comment: 'not a select: one instruction does it all' },
    { op: 'HALT', args: '', comment: '' },
  ];
}

class Assembler {
  readonly #plan: SelectPlan;
  readonly #code: Instruction[] = [];

  constructor(plan: SelectPlan) {
    this.#plan = plan;
  }

  run(): readonly Instruction[] {
    const plan = this.#plan;
    const { shape, selection } = plan;
    if (selection !== null) {
      this.#emit('SELECT_SERIES', selectionText(selection), 'once');
      this.#emit('SCAN', printIntervals(plan.intervals), 'each sample, series by series');
    }
    if (plan.filter !== null) {
      this.#expression(plan.filter);
      this.#emit('KEEP_IF', '', 'drop the row unless true');
    }
    if (shape.kind === 'raw') {
      for (const [at, window] of shape.windows.entries()) {
        this.#expression(window.argument);
        this.#emit('WINDOW', `${at} ${window.name}`, 'over the rows of a series');
      }
    }
    if (shape.kind === 'grouped') {
      for (const key of shape.keys) this.#expression(key);
      this.#emit('GROUP', String(shape.keys.length), 'find the group of these keys');
      shape.aggregates.forEach((aggregate, at) => {
        if (aggregate.argument !== null) this.#expression(aggregate.argument);
        this.#emit('ACCUMULATE', String(at), printAggregate(aggregate));
      });
      this.#emit('END_SCAN', '', 'each group from here');
      if (shape.fill !== null) this.#emit('FILL', shape.fill.how.kind, 'buckets without samples');
    }
    this.#tail();
    return this.#code;
  }

  #tail(): void {
    const plan = this.#plan;
    if (plan.having !== null) {
      this.#expression(plan.having);
      this.#emit('KEEP_IF', '', 'having');
    }
    for (const { expr, descending } of plan.orderBy) {
      this.#expression(expr);
      this.#emit('SORT_KEY', descending ? 'desc' : 'asc', 'nulls last');
    }
    for (const item of plan.items) {
      if (item.kind === 'star') this.#emit('LOAD_ALL', '*', 'as many columns as series ask for');
      else this.#expression(item.expr);
    }
    if (plan.limit !== null) this.#emit('LIMIT', `${plan.limit} ${plan.offset}`, 'limit, offset');
    this.#emit('EMIT', String(plan.items.length), 'a row of the answer');
    this.#emit('HALT', '', '');
  }

  #emit(op: string, args: string, comment: string): void {
    this.#code.push({ op, args, comment });
  }

  /** Pushes the operands first, then the operation. */
  #expression(expr: Expr): void {
    const row = expr.kind === 'arithmetic' ? rowOf(expr) : [];
    const [innermost] = row;
    if (innermost !== undefined) this.#expression(innermost.left);
    for (const one of row) {
      this.#expression(one.right);
      this.#instruction(one, 2);
    }
    if (innermost !== undefined) return;
    const parts = partsOf(expr);
    for (const part of parts) this.#expression(part);
    this.#instruction(expr, parts.length);
  }

  #instruction(expr: Expr, partCount: number): void {
    const { op, args } = instructionOf(expr, partCount);
    this.#emit(op, args, expr.type === 'null' ? '' : expr.type);
  }
}

function instructionOf(expr: Expr, count: number): { op: string; args: string } {
  const negation = 'negated' in expr && expr.negated ? 'NOT_' : '';
  switch (expr.kind) {
    case 'literal':
      return { op: 'CONST', args: expr.value === null ? 'null' : printValue(expr.value) };
    case 'column':
      return { op: 'LOAD', args: expr.column };
    case 'label':
      return { op: 'LOAD_LABEL', args: expr.key };
    case 'key':
    case 'aggregate':
    case 'window':
      return { op: `LOAD_${expr.kind.toUpperCase()}`, args: String(expr.index) };
    case 'arithmetic':
    case 'compare':
      return { op: expr.kind === 'compare' ? 'COMPARE' : 'ARITHMETIC', args: expr.op };
    case 'logical':
      return { op: expr.op.toUpperCase(), args: String(count) };
    case 'match':
      return { op: `${negation}MATCH`, args: expr.pattern };
    case 'call':
      return { op: 'CALL', args: `${expr.name} ${count}` };
    case 'bucket':
      return { op: 'BUCKET', args: printBucket(expr.bucket) };
    case 'cast':
      return { op: 'CAST', args: expr.target };
    default:
      return { op: `${negation}${expr.kind.toUpperCase()}`, args: count > 1 ? String(count) : '' };
  }
}
