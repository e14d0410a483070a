/** Why a file could not be read or written, in words for people. */

type Reasons = ReadonlyMap<unknown, string>;

const readReasons: Reasons = new Map([
  ['EACCES', 'it may not be read'],
  ['EISDIR', 'it is a directory'],
  ['ENOENT', 'there is no such file'],
]);

const writeReasons: Reasons = new Map([
  ['EACCES', 'it may not be written'],
  ['EDQUOT', 'no more space may be taken'],
  ['EFBIG', 'it would become larger than a file may be'],
  ['EISDIR', 'it is a directory'],
  ['ENOENT', 'there is no such folder'],
  ['ENOSPC', 'no space is left'],
  ['EPIPE', 'nobody reads it any more'],
]);

/** That of the system, like `ENOENT`; null where it says none. */
export function systemCodeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : null;
}

export function readReasonOf(error: unknown): string {
  return reasonOf(error, readReasons);
}

export function writeReasonOf(error: unknown): string {
  return reasonOf(error, writeReasons);
}

function reasonOf(error: unknown, reasons: Reasons): string {
  const message = error instanceof Error ? error.message : String(error);
  return reasons.get(systemCodeOf(error)) ?? message;
}
