/** The message of anything that was thrown. */
export const thrownMessage = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown);
