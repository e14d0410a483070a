/** Functions that write labels. */

import { AppError } from '../../../common/errors/app-error.js';
import { joinedTexts } from '../../limits/made-text.js';
import { compileWholePattern, type Pattern } from '../../values/pattern.js';
import { rowIds } from '../labels/row-ids.js';
import { sameLabels, type VectorValue } from '../vectors/value.js';
import { ColumnBuilder, type LabelColumn } from '../labels/column.js';
import { isLabelName, kNameKey } from '../labels/label-table.js';
import { textAt, vectorAt } from './arguments.js';

import { eachRow, type AskedCall } from '../vectors/context.js';
import { definePromql, type PromqlFunction } from './promql-function.js';

/** label_replace(v, to, replacement, from, pattern). */
async function labelReplace(asked: AskedCall): Promise<VectorValue> {
  const [to, replacement] = [textAt(asked, 1), textAt(asked, 2)];
  const [from, source] = [textAt(asked, 3), textAt(asked, 4)];
  const pattern = patternOf(source);
  requireLabel(to, 'destination label name in label_replace()');
  const vector = await vectorAt(asked, 0);
  const read = vector.labels.columns.get(from);
  const replace = replacementOf(replacement, pattern);
  const column = builderFor(asked, vector);
  const replaced = await replacedCodes(asked, read, (text) => {
    const made = replace(text);
    return made === null ? null : column.codeOf(made);
  });
  const codeOf = (row: number): number | null => replaced[read?.codes[row] ?? 0] ?? null;
  const isMatched = (row: number): boolean => codeOf(row) !== null;
  return withLabel(asked, vector, { key: to, column, codeOf, isMatched });
}

/** Each text of the query is in its account. */
function builderFor({ evaluate }: AskedCall, { labels }: VectorValue): ColumnBuilder {
  return new ColumnBuilder(labels.rowCount, evaluate.context.guard.texts);
}

/** By code of the label that is read: the code of what it becomes; null where nothing matches. */
async function replacedCodes(
  { evaluate }: AskedCall,
  read: LabelColumn | undefined,
  replace: (text: string) => number | null,
): Promise<readonly (number | null)[]> {
  await read?.unpack(evaluate.context.guard);
  const texts = ['', ...(read?.texts ?? [])];
  const replaced: (number | null)[] = [];
  await eachRow(evaluate.context, { rowCount: texts.length, steps: kCellsOfText }, (code) => {
    replaced.push(replace(texts[code] ?? ''));
  });
  return replaced;
}

/** A text is as much work as so many cells. */
const kCellsOfText = 25;

function patternOf(source: string): Pattern {
  try {
    return compileWholePattern(source);
  } catch (cause) {
    const message = `invalid regular expression in label_replace(): ${source}`;
    throw new AppError('execution_error', message, { cause });
  }
}

/** What becomes of a text; null where the pattern does not match. Throws for one that is long. */
function replacementOf(replacement: string, pattern: Pattern): (text: string) => string | null {
  if (!replacement.includes('$')) {
    return (text) => (pattern.matches(text) ? joinedTexts([replacement]) : null);
  }
  const parts = templateOf(replacement, pattern.groupNames);
  return (text) => {
    const groups = pattern.groups(text);
    if (groups === null) return null;
    return joinedTexts(
      parts.map((part) => (typeof part === 'string' ? part : (groups[part] ?? ''))),
    );
  };
}

/**
 * Texts and numbers of groups, as Go's templates have them: `$1`, `${1}`, `$name`, `${name}`, and
 * `$$` for a dollar.
 */
function templateOf(
  replacement: string,
  names: Readonly<Record<string, number>>,
): readonly (string | number)[] {
  const parts: (string | number)[] = [];
  let end = 0;
  for (const found of replacement.matchAll(/\$(?:\$|(\w+)|\{(\w+)\})/g)) {
    parts.push(replacement.slice(end, found.index));
    end = found.index + found[0].length;
    const name = found[1] ?? found[2] ?? '';
    const group = /^\d+$/.test(name) ? Number(name) : names[name];
    if (found[0] === '$$') parts.push('$');
    else if (group !== undefined) parts.push(group);
  }
  return [...parts, replacement.slice(end)].filter((part) => part !== '');
}

function requireLabel(key: string, what: string): void {
  if (isLabelName(key)) return;
  throw new AppError('execution_error', `invalid ${what}: ${key}`);
}

interface WrittenLabel {
  readonly key: string;
  readonly column: ColumnBuilder;
  /** Of a text of the column; 0: the label goes; null: it stays as it is. */
  readonly codeOf: (row: number) => number | null;
  /** Beside that of one text. */
  readonly cellsOfRow?: number;
  readonly isMatched: (row: number) => boolean;
}

/** A name that is written stays, even where it would have gone. */
async function withLabel(
  { evaluate }: AskedCall,
  vector: VectorValue,
  { key, column, codeOf, cellsOfRow = 0, isMatched }: WrittenLabel,
): Promise<VectorValue> {
  const { labels, dropsName } = vector;
  const { rowCount } = labels;
  await eachRow(evaluate.context, { rowCount, steps: kCellsOfText + cellsOfRow }, (row) => {
    column.set(row, codeOf(row) ?? column.codeOf(labels.textOf(row, key)));
  });
  const written = labels.with(key, column.finish());
  const drops =
    key === kNameKey && dropsName !== null
      ? dropsName.map((isDropped, row) => (isMatched(row) ? 0 : isDropped))
      : dropsName;
  // Whether at the same step or not.
  const { count } = await rowIds(written, evaluate.context.guard);
  if (count < rowCount) throw sameLabels();
  return { ...vector, labels: written, dropsName: drops };
}

/** label_join(v, to, between, from, …). */
async function labelJoin(asked: AskedCall): Promise<VectorValue> {
  const [to, between] = [textAt(asked, 1), textAt(asked, 2)];
  const from: string[] = [];
  for (let place = 3; place < asked.call.args.length; place += 1) {
    const key = textAt(asked, place);
    requireLabel(key, 'source label name in label_join()');
    from.push(key);
  }
  requireLabel(to, 'destination label name in label_join()');
  const vector = await vectorAt(asked, 0);
  const column = builderFor(asked, vector);
  const { guard } = asked.evaluate.context;
  for (const key of from) await vector.labels.columns.get(key)?.unpack(guard);
  const textOf = (row: number): string => {
    const texts = from.map((key) => vector.labels.textOf(row, key));
    return joinedTexts(texts, between);
  };
  return withLabel(asked, vector, {
    ...{ key: to, column, cellsOfRow: from.length * kCellsOfText },
    codeOf: (row) => column.codeOf(textOf(row)),
    isMatched: () => true,
  });
}

export const labelFunctions: readonly PromqlFunction[] = [
  definePromql({
    name: 'label_replace',
    takes: ['vector', 'string', 'string', 'string', 'string'],
    sentence: 'Sets a label from the groups of a regular expression that matches another label.',
    example: 'label_replace(temperature, "floor", "${1}1", "room", "(.*)")',
    answer: 'temperature{floor="a1", room="a"} 20.5',
    evaluate: labelReplace,
  }),
  definePromql({
    name: 'label_join',
    takes: ['vector', 'string', 'string', 'string'],
    optional: 'any',
    sentence: 'Sets a label to the texts of other labels, joined by a separator.',
    example: 'label_join(requests_total, "to", "-", "job", "instance")',
    answer:
      'requests_total{instance="1", job="db", to="db-1"} 300, requests_total{instance="1", job="api", to="api-1"} 600',
    evaluate: labelJoin,
  }),
];
