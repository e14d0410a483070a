/**
 * The output file of an export. A regular file gets its new content only when it is complete. A
 * pipe or a device is written directly, and a symbolic link stays a link.
 */

import { randomBytes } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { open, readlink, realpath, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import path from 'node:path';

import { CommandFailure } from '../session/failure.js';
import { systemCodeOf, writeReasonOf } from '../session/file-reason.js';

interface OutputFile {
  readonly write: (piece: string | Uint8Array) => Promise<void>;
  readonly finish: () => Promise<void>;
  /** Call it after a failure; the previous content stays. Never rejects. */
  readonly discard: () => Promise<void>;
}

/** Rejects only with CommandFailure and a sentence, here and in its results. */
export function openOutput(name: string): Promise<OutputFile> {
  return orSentence(name, async () => {
    const before = await statOf(name);
    if (before?.isDirectory() === true) throw new Error('it is a directory');
    if (before === null || before.isFile()) return openBeside(name, before);
    // The open must not create a file if the target disappears meanwhile.
    return whole(name, await open(name, constants.O_WRONLY));
  });
}

/** Writes to a temporary file, which then replaces the target. */
async function openBeside(name: string, before: Stats | null): Promise<OutputFile> {
  const target = await targetOf(name);
  const temporary = `${target}.${randomBytes(6).toString('hex')}.tmp`;
  const file = await open(temporary, 'wx');
  const { write, discard } = whole(name, file);
  const remove = async (): Promise<void> => {
    await discard();
    await rm(temporary, { force: true }).catch(() => undefined);
  };
  try {
    if (before !== null) await file.chmod(before.mode & 0o777);
  } catch (error) {
    await remove();
    throw error;
  }
  const finish = async (): Promise<void> => {
    await file.sync();
    await file.close();
    await rename(temporary, target);
  };
  return { write, finish: () => orSentence(name, finish), discard: remove };
}

function whole(name: string, file: FileHandle): OutputFile {
  return {
    write: (piece) => orSentence(name, () => file.appendFile(piece)),
    finish: () => orSentence(name, () => file.close()),
    discard: () => file.close().catch(() => undefined),
  };
}

/** Null if nothing exists there. */
async function statOf(name: string): Promise<Stats | null> {
  try {
    return await stat(name);
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/** Resolves all links of the name, including a link to a missing file. */
async function targetOf(name: string): Promise<string> {
  try {
    return await realpath(name);
  } catch (error) {
    if (systemCodeOf(error) !== 'ENOENT') throw error;
  }
  const link = await readlink(name).catch(() => null);
  return link === null ? name : targetOf(path.resolve(path.dirname(name), link));
}

async function orSentence<T>(name: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw new CommandFailure(`cannot write ${name}: ${writeReasonOf(error)}`);
  }
}
