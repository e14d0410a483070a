/** Resolves a name to an alias, a column or a label. */

import { didYouMean, nearWord } from '../../../../common/model/nearest.js';
import { beginningOf } from '../../../../common/model/visible-text.js';
import { isAggregateName } from '../../functions/function-names.js';
import { foreign } from '../../language/foreign.js';
import { keyAsWritten } from '../../language/written-name.js';
import { constantPlace, type ExpressionChecker, type ExprPlace } from './place.js';

import type { Expression } from '../../language/ast.js';
import type { columnNames } from '../../language/token.js';
import type { Expr } from '../plan.js';

const columnTable: Readonly<Record<(typeof columnNames)[number], Expr>> = {
  time: { kind: 'column', column: 'time', type: 'timestamp', nullable: false },
  value: { kind: 'column', column: 'value', type: 'float', nullable: true },
  metric: { kind: 'column', column: 'metric', type: 'string', nullable: false },
  series_id: { kind: 'column', column: 'series_id', type: 'integer', nullable: false },
};
const columns: Readonly<Record<string, Expr>> = columnTable;

type NameNode = Extract<Expression, { kind: 'name' }>;

export function resolveName(checker: ExpressionChecker, node: NameNode, scope: ExprPlace): Expr {
  const [first, second] = node.parts;
  const { start } = node.span;
  if (first === undefined) throw checker.fail(start, 'an empty name');
  if (second === undefined) {
    const alias = scope.aliases.get(first.text);
    if (alias !== undefined) {
      checker.repeat(alias, start);
      return alias;
    }
  }
  const lower = first.text.toLowerCase();
  const isLabel = !first.isQuoted && (lower === 'tag' || lower === 'label');
  if (isLabel && second !== undefined) {
    if (node.parts.length > 2) {
      const key = node.parts.slice(1).map(({ text }) => text);
      throw checker.fail(start, 'a key with dots is quoted', `write ${lower}."${key.join('.')}"`);
    }
    requireColumns(checker, node, scope);
    return { kind: 'label', key: second.text, type: 'string', nullable: true };
  }
  const column = second === undefined && Object.hasOwn(columns, lower) ? columns[lower] : undefined;
  if (column === undefined) throw unknownName(checker, node, scope);
  requireColumns(checker, node, scope);
  return { ...column };
}

function requireColumns(checker: ExpressionChecker, node: NameNode, scope: ExprPlace): void {
  if (scope.hasColumns) return;
  const shown = written(node);
  if (scope === constantPlace) throw checker.fail(node.span.start, `${shown} ${scope.refusal}`);
  const hint = 'write select … from <metric>';
  throw checker.failForGood(node.span.start, `${shown} needs a FROM`, hint);
}

function unknownName(checker: ExpressionChecker, node: NameNode, scope: ExprPlace): Error {
  const name = written(node);
  const known = [...Object.keys(columns), ...scope.aliases.keys()];
  const lower = name.toLowerCase();
  const ofAggregate = isAggregateName(lower)
    ? `write ${lower}(value), or name it by AS`
    : undefined;
  const { labelKeys = [] } = checker.context;
  const ofLabel = labelKeys.includes(name) ? `write ${labelColumn(name)}` : undefined;
  const near = nearWord(name, labelKeys);
  const meant =
    ofLabel ??
    foreign.names.get(lower) ??
    ofAggregate ??
    didYouMean(name, known) ??
    (near === undefined ? undefined : `did you mean ${labelColumn(near)}?`);
  const isText = node.parts.length === 1 && node.parts[0]?.isQuoted === true;
  const short = beginningOf(name, 40);
  const labels =
    `a label is tag.${short}, a text is '${short}', a field is a metric: from cpu.${short}; ` +
    'columns are time, value, metric, series_id';
  const hint = meant ?? (isText ? "texts are written in single quotes: '…'" : labels);
  return checker.fail(node.span.start, `unknown column ${beginningOf(name, 60)}`, hint);
}

const labelColumn = (key: string): string => `tag.${keyAsWritten(key)}`;

function written(node: NameNode): string {
  return node.parts.map(({ text }) => text).join('.');
}
