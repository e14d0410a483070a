/** The words and tokens of the language. */

export type TokenKind =
  /** An unquoted word, keyword or not. */
  | 'word'
  /** A word in double quotes. */
  | 'quoted'
  | 'string'
  | 'integer'
  | 'float'
  | 'duration'
  | 'timestamp'
  | 'symbol'
  | 'end';

export interface Token {
  readonly kind: TokenKind;
  /** The content of strings and quoted words; otherwise the source as written. */
  readonly text: string;
  /** `text` in lower case, for comparison: of unquoted words and symbols. */
  readonly known: string;
  /** Offsets into the source. */
  readonly start: number;
  readonly end: number;
}

/** Words that need quotes to be a name. All other words have a meaning only in certain places. */
export const reservedWords: ReadonlySet<string> = new Set(
  (
    'select from where group by having order limit offset fill and or not in between like is null ' +
    'true false as case when then else end asc desc distinct insert delete show explain ' +
    'union intersect except join'
  ).split(' '),
);

/** Words with a meaning in certain places, for hints. */
export const contextWords: readonly string[] = (
  'into values metrics series labels label for analyze bytecode tables_used by_id none previous ' +
  'linear cast'
).split(' ');

/** The columns of a sample besides its labels. */
export const columnNames = ['time', 'value', 'metric', 'series_id'] as const;

/** Matched before the short ones. */
export const longSymbols: ReadonlySet<string> = new Set('<> != <= >= =~ !~ && ||'.split(' '));
export const shortSymbols: ReadonlySet<string> = new Set('(){},.;+-*/%=<>');
