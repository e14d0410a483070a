/** The description of a function in the documents and in completion. */
export interface Documentation {
  /** One sentence, with a full stop. */
  readonly sentence: string;
  /** A statement of one column, over the series that docs/seriesql.md loads. */
  readonly example: string;
  /** The values of that column from the first row on, as JSON with `, ` between them. */
  readonly answer: string;
}
