/** Functions that write labels. */

import { AppError } from '../../errors/app-error.js';
import { compilePattern, type Pattern } from '../../seriesql/functions/pattern.js';
import { mergeSame, type VectorValue } from '../vectors/value.js';
import { ColumnBuilder, type LabelColumn } from '../labels/column.js';
import { isLabelName, kNameKey } from '../labels/label-table.js';
import { textAt, vectorAt } from './arguments.js';

import type { AskedCall } from '../vectors/context.js';
import type { Implementations } from './implementation.js';

/** label_replace(v, to, replacement, from, pattern). */
async function labelReplace(asked: AskedCall): Promise<VectorValue> {
  const [to, replacement] = [await textAt(asked, 1), await textAt(asked, 2)];
  const [from, source] = [await textAt(asked, 3), await textAt(asked, 4)];
  const pattern = patternOf(source);
  requireLabel(to, 'destination label name in label_replace()');
  const vector = await vectorAt(asked, 0);
  const read = vector.labels.columns.get(from);
  const replaced = replacedTexts(read, pattern, replacement);
  const isMatched = (row: number): boolean => replaced[read?.codes[row] ?? 0] !== null;
  return withLabel(vector, to, {
    textOf: (row) => replaced[read?.codes[row] ?? 0] ?? null,
    isMatched,
  });
}

/** By code of the label that is read: what it becomes; null where the pattern does not match. */
function replacedTexts(
  read: LabelColumn | undefined,
  pattern: Pattern,
  replacement: string,
): readonly (string | null)[] {
  return ['', ...(read?.texts ?? [])].map((text) => {
    const groups = pattern.groups(text);
    return groups === null ? null : expanded(replacement, groups, pattern.groupNames);
  });
}

function patternOf(source: string): Pattern {
  try {
    return compilePattern(`^(?s:${source})$`);
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
  /** Empty: the label goes; null: it stays as it is. */
  readonly textOf: (row: number) => string | null;
  readonly isMatched: (row: number) => boolean;
}

/** A name that is written stays, even where it would have gone. */
function withLabel(vector: VectorValue, key: string, { textOf, isMatched }: Written): VectorValue {
  const { labels, dropsName } = vector;
  const builder = new ColumnBuilder(labels.rowCount);
  for (let row = 0; row < labels.rowCount; row += 1) {
    builder.set(row, builder.codeOf(textOf(row) ?? labels.textOf(row, key)));
  }
  const written = labels.with(key, builder.finish());
  const drops =
    key === kNameKey && dropsName !== null
      ? dropsName.map((isDropped, row) => (isMatched(row) ? 0 : isDropped))
      : dropsName;
  return mergeSame({ ...vector, labels: written, dropsName: drops });
}

/** label_join(v, to, between, from, …). */
async function labelJoin(asked: AskedCall): Promise<VectorValue> {
  const [to, between] = [await textAt(asked, 1), await textAt(asked, 2)];
  const from: string[] = [];
  for (let place = 3; place < asked.call.args.length; place += 1) {
    const key = await textAt(asked, place);
    requireLabel(key, 'source label name in label_join()');
    from.push(key);
  }
  requireLabel(to, 'destination label name in label_join()');
  const vector = await vectorAt(asked, 0);
  const textOf = (row: number): string =>
    from.map((key) => vector.labels.textOf(row, key)).join(between);
  return withLabel(vector, to, { textOf, isMatched: () => true });
}

export const labelFunctions: Implementations = {
  label_replace: labelReplace,
  label_join: labelJoin,
};
