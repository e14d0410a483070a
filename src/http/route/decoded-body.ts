/** Reads a small body of bytes in any encoding of sample bodies. */

import { decodingOf, ofEvery, type BodyReader, type EncodedShape } from './route-body.js';

import type { MakeDecoder } from '../intake/body-encoding.js';

interface DecodedOptions extends EncodedShape {
  /** Maximum decoded bytes. */
  readonly sizeMax: number;
}

interface DecodedContext {
  readonly operations: { readonly encodedBody: MakeDecoder };
}

export function decodedBody({
  mediaType,
  purpose,
  sizeMax,
  unnamed,
}: DecodedOptions): BodyReader<Uint8Array, DecodedContext> {
  const errors = ['invalid_encoding', 'payload_too_large', ...ofEvery] as const;
  return {
    shape: { kind: 'text', mediaType, purpose, sizeMax, errors },
    read: async (request, { operations }) => {
      const pieces: Buffer[] = [];
      const target = {
        // A copy: the chunk is lent.
        write: (chunk: Uint8Array) => {
          pieces.push(Buffer.from(chunk));
          return false;
        },
      };
      await request.consume(target, sizeMax, decodingOf(operations, unnamed));
      return Buffer.concat(pieces);
    },
  };
}
