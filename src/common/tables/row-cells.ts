/** The cells of a row; null is an empty one. */
export type RowCells = readonly (string | null)[];
