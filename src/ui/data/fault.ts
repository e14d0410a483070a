/** Converts a thrown value into an error and a sentence. */

export function errorOf(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

export function sentenceOf(thrown: unknown): string {
  return errorOf(thrown).message;
}
