/** Describes why a file could not be read or written. */

import { thrownMessage } from '../../common/errors/thrown-message.js';

type Reasons = ReadonlyMap<unknown, string>;

const readReasons: Reasons = new Map([
  ['EACCES', 'permission denied'],
  ['EISDIR', 'it is a directory'],
  ['ENOENT', 'there is no such file'],
]);

const writeReasons: Reasons = new Map([
  ['EACCES', 'permission denied'],
  ['EDQUOT', 'the disk quota is used up'],
  ['EFBIG', 'it would exceed the largest file size'],
  ['EISDIR', 'it is a directory'],
  ['ENOENT', 'there is no such folder'],
  ['ENOSPC', 'no space is left'],
  ['EPIPE', 'its reader has closed it'],
]);

/** The system's code, like `ENOENT`; null without one. */
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
  const message = thrownMessage(error);
  return reasons.get(systemCodeOf(error)) ?? message;
}
