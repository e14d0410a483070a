/** What a series has under `key`; a label that is missing is an empty one. */
export interface SeriesMatcher {
  readonly key: string;
  readonly op: '=' | '!=' | '=~' | '!~';
  readonly value: string;
}
