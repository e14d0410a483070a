/** Functions that write labels. */

import { AppError } from '../../errors/app-error.js';
import { compileWholePattern, type Pattern } from '../../seriesql/functions/pattern.js';
import { rowIds } from '../labels/row-ids.js';
import { sameLabels, type VectorValue } from '../vectors/value.js';
import { ColumnBuilder, type LabelColumn } from '../labels/column.js';
import { isLabelName, kNameKey } from '../labels/label-table.js';
import { textAt, vectorAt } from './arguments.js';

import { eachRow, type AskedCall } from '../vectors/context.js';
import type { Implementations } from './implementation.js';

/** label_replace(v, to, replacement, from, pattern). */
async function labelReplace(asked: AskedCall): Promise<VectorValue> {
  const [to, replacement] = [textAt(asked, 1), textAt(asked, 2)];
  const [from, source] = [textAt(asked, 3), textAt(asked, 4)];
  const pattern = patternOf(source);
  requireLabel(to, 'destination label name in label_replace()');
  const vector = await vectorAt(asked, 0);
  const read = vector.labels.columns.get(from);
  const isFixed = !replacement.includes('$');
  const replaced = await replacedTexts(asked, read, (text) => {
    if (isFixed) return pattern.matches(text) ? replacement : null;
    const groups = pattern.groups(text);
    return groups === null ? null : expanded(replacement, groups, pattern.groupNames);
  });
  const isMatched = (row: number): boolean => replaced[read?.codes[row] ?? 0] !== null;
  return withLabel(asked, vector, {
    key: to,
    textOf: (row) => replaced[read?.codes[row] ?? 0] ?? null,
    isMatched,
  });
}

/** By code of the label that is read: what it becomes; null where the pattern does not match. */
async function replacedTexts(
  { evaluate }: AskedCall,
  read: LabelColumn | undefined,
  replace: (text: string) => string | null,
): Promise<readonly (string | null)[]> {
  const texts = ['', ...(read?.texts ?? [])];
  const replaced: (string | null)[] = [];
  await eachRow(evaluate.context, { rowCount: texts.length, steps: kCellsOfText }, (code) => {
    replaced.push(replace(texts[code] ?? ''));
  });
  return replaced;
}

/** A text is as much work as so many cells. */
const kCellsOfText = 100;

function patternOf(source: string): Pattern {
  try {
    return compileWholePattern(source);
  } catch (cause) {
    const message = `invalid regular expression in label_replace(): ${source}`;
    throw new AppError('execution_error', message, { cause });
  }
}

/** As Go's templates have it: `$1`, `${1}`, `$name`, `${name}`, and `$$` for a dollar. */
function expanded(
  replacement: string,
  groups: readonly (string | null)[],
  names: Readonly<Record<string, number>>,
): string {
  return replacement.replace(
    /\$(?:\$|(\w+)|\{(\w+)\})/g,
    (whole, bare?: string, braced?: string) => {
      if (whole === '$$') return '$';
      const name = bare ?? braced ?? '';
      const group = /^\d+$/.test(name) ? Number(name) : names[name];
      return group === undefined ? '' : (groups[group] ?? '');
    },
  );
}

function requireLabel(key: string, what: string): void {
  if (isLabelName(key)) return;
  throw new AppError('execution_error', `invalid ${what}: ${key}`);
}

interface Written {
  readonly key: string;
  /** Empty: the label goes; null: it stays as it is. */
  readonly textOf: (row: number) => string | null;
  readonly isMatched: (row: number) => boolean;
}

/** A name that is written stays, even where it would have gone. */
async function withLabel(
  { evaluate }: AskedCall,
  vector: VectorValue,
  { key, textOf, isMatched }: Written,
): Promise<VectorValue> {
  const { labels, dropsName } = vector;
  const { rowCount } = labels;
  const builder = new ColumnBuilder(rowCount);
  await eachRow(evaluate.context, { rowCount, steps: kCellsOfText }, (row) => {
    builder.set(row, builder.codeOf(textOf(row) ?? labels.textOf(row, key)));
  });
  const written = labels.with(key, builder.finish());
  const drops =
    key === kNameKey && dropsName !== null
      ? dropsName.map((isDropped, row) => (isMatched(row) ? 0 : isDropped))
      : dropsName;
  // Whether at the same step or not.
  if (rowIds(written).count < rowCount) throw sameLabels();
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
  const textOf = (row: number): string =>
    from.map((key) => vector.labels.textOf(row, key)).join(between);
  return withLabel(asked, vector, {
    key: to,
    textOf,
    isMatched: () => true,
  });
}

export const labelFunctions: Implementations = {
  label_replace: labelReplace,
  label_join: labelJoin,
};
