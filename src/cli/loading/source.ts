/**
 * Where an input comes from, so that it can be begun again once its first bytes have shown that it
 * is not the one of the load before. A stream comes once: what was read of it is kept until then.
 */

import { CommandFailure } from '../session/failure.js';

import {
  isStream,
  openFile,
  openStream,
  shownName,
  standardInputName,
  streamOf,
  type Input,
} from './input.js';

import type { Readable } from 'node:stream';

export interface Source {
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

/** Slightly more than the bytes for identification and detection. */
const kKeptMax = 16 * 1024 * 1024;

export async function openSource(
  name: string,
  { standardInput, signal }: SourceOptions,
): Promise<Source> {
  const isStandard = name === standardInputName;
  if (isStandard || isStream(name)) {
    const stream = isStandard ? standardInput() : streamOf(name);
    return streamSource(openStream(stream, { name, signal }));
  }
  const again = (): Promise<Input> => openFile(name);
  return { input: await again(), again, settle: () => undefined };
}

function streamSource(raw: Input): Source {
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
