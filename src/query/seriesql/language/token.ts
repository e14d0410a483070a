/** The words of the language. */

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
  /** Of words in quotes and strings what stands inside, else the source as written. */
  readonly text: string;
  /** Of unquoted words and of symbols, by which they are known: `text` in small letters. */
  readonly known: string;
  /** Offsets into the source. */
  readonly start: number;
  readonly end: number;
}

/** Words that cannot be a name without quotes. Others mean something only where they are due. */
export const reservedWords: ReadonlySet<string> = new Set(
  (
    'select from where group by having order limit offset fill and or not in between like is null ' +
    'true false as case when then else end asc desc distinct insert delete show explain ' +
    'union intersect except join'
  ).split(' '),
);

/** Words with a meaning in some place, for hints. */
export const contextWords: readonly string[] = (
  'into values metrics series labels label for analyze bytecode tables_used by_id none previous ' +
  'linear cast'
).split(' ');

/** What a sample has, beside labels. */
export const columnNames = ['time', 'value', 'metric', 'series_id'] as const;

/** The longer ones count first. */
export const longSymbols: ReadonlySet<string> = new Set('<> != <= >= =~ !~ && ||'.split(' '));
export const shortSymbols: ReadonlySet<string> = new Set('(){},.;+-*/%=<>');
