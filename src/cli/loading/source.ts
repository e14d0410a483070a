/**
 * The origin of an input. A load reopens the input if its first bytes differ from those of the
 * earlier load. A stream can be read only once, so its beginning is kept until then.
 */

import { CommandFailure } from '../session/failure.js';

import { shownName, standardInputName } from './file-list.js';
import { isStream, openFile, openStream, streamOf, type Input } from './input.js';

import type { Readable } from 'node:stream';

export interface InputSource {
  readonly input: Input;
  /** The input from its beginning. Throws CommandFailure if too much of a stream was read. */
  readonly again: () => Promise<Input>;
  /** The beginning is no longer needed. */
  readonly settle: () => void;
}

interface SourceOptions {
  readonly standardInput: () => Readable;
  readonly signal: AbortSignal;
}

/**
 * The most bytes of a stream that are kept: slightly more than identification and detection need.
 */
const kKeptMax = 16 * 1024 * 1024;

export async function openSource(
  name: string,
  { standardInput, signal }: SourceOptions,
): Promise<InputSource> {
  const isStandard = name === standardInputName;
  if (isStandard || isStream(name)) {
    const stream = isStandard ? standardInput() : streamOf(name);
    return streamSource(openStream(stream, { name, signal }));
  }
  const again = (): Promise<Input> => openFile(name);
  return { input: await again(), again, settle: () => undefined };
}

function streamSource(raw: Input): InputSource {
  const iterator = raw.bytes[Symbol.asyncIterator]();
  let kept: Buffer[] | null = [];
  let keptSize = 0;
  async function* bytes(): AsyncGenerator<Buffer> {
    yield* kept ?? [];
    try {
      for (let step = await iterator.next(); step.done !== true; step = await iterator.next()) {
        keptSize += step.value.length;
        if (keptSize > kKeptMax) kept = null;
        kept?.push(step.value);
        yield step.value;
      }
    } finally {
      if (kept === null) await iterator.return?.();
    }
  }
  const begin = (): Input => ({ ...raw, bytes: bytes() });
  const again = (): Promise<Input> => {
    if (kept !== null) return Promise.resolve(begin());
    const how = 'run it again with --no-resume';
    return Promise.reject(
      new CommandFailure(`cannot read ${shownName(raw.name)} from its beginning again; ${how}`),
    );
  };
  const settle = (): void => {
    kept = null;
  };
  return { input: begin(), again, settle };
}
