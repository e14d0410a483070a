/** A condition on the label `key`. A missing label counts as empty. */
export interface SeriesMatcher {
  readonly key: string;
  readonly op: '=' | '!=' | '=~' | '!~';
  readonly value: string;
}
