/** The kinds of request bodies that a route can declare, and how each is read. */

import { AppError } from '../../common/errors/app-error.js';

import { parseJsonObject } from '../fields/json-body.js';
import { refuseUnknown, tellUnknown } from '../fields/unknown-names.js';

import type { ErrorCode } from '../../common/errors/catalog.js';
import type { BodySchema, Field } from '../fields/body-schema.js';
import type { BodyDecoding, BodyEncoding, MakeDecoder } from '../intake/body-encoding.js';
import type { Request } from './request.js';

/** JSON bodies are small: bulk data comes as NDJSON. */
const kJsonBodyMax = 1024 * 1024;

interface TextShape {
  readonly mediaType: string;
  readonly purpose: string;
}

/** A body that may be compressed. */
export interface EncodedShape extends TextShape {
  /** The encoding of a body without a Content-Encoding; identity if absent. */
  readonly unnamed?: BodyEncoding;
}

/** How the storage decodes such a body. */
export function decodingOf(
  operations: { readonly encodedBody: MakeDecoder },
  unnamed: BodyEncoding | undefined,
): BodyDecoding {
  return { makeDecoder: (coding) => operations.encodedBody(coding), unnamed };
}

/** The description of a JSON line's field for the documents. The addon parses the lines. */
export interface BodyLineField {
  readonly name: string;
  readonly type: string;
  readonly required: string;
  readonly meaning: string;
}

export type BodyShape =
  | {
      readonly kind: 'json';
      readonly fields: readonly (readonly [string, Field<unknown>])[];
      /** An absent body counts as an empty object. */
      readonly isOptional: boolean;
      /** Unknown members are `unknown_field`. Otherwise they are ignored with a warning. */
      readonly refusesUnknown: boolean;
      readonly sizeMax: number;
      readonly errors: readonly ErrorCode[];
    }
  | (TextShape & {
      readonly kind: 'text';
      readonly sizeMax: number;
      readonly errors: readonly ErrorCode[];
    })
  | (TextShape & {
      /** Decoded and consumed as it arrives. */
      readonly kind: 'stream';
      /** The setting that limits its size. */
      readonly sizeSetting: string;
      readonly lineFields: readonly BodyLineField[];
      readonly errors: readonly ErrorCode[];
    });

export interface BodyReader<Body, Context> {
  readonly shape: BodyShape;
  /** Throws and rejects with an AppError. */
  readonly read: (request: Request, context: Context) => Body | Promise<Body>;
}

/** The codes with which any body can be refused. */
export const ofEvery: readonly ErrorCode[] = ['unsupported_encoding', 'body_timeout'];

interface JsonOptions {
  /** Refuses a body without Content-Length. */
  readonly needsLength?: boolean;
  readonly isOptional?: boolean;
  readonly refusesUnknown?: boolean;
}

export function jsonBody<T>(
  schema: BodySchema<T>,
  { needsLength = false, isOptional = false, refusesUnknown = false }: JsonOptions = {},
): BodyReader<T, unknown> {
  const known = schema.fields.map(([key]) => key);
  const read = async (request: Request): Promise<T> => {
    const bytes = await request.readAll(kJsonBodyMax);
    const body = isOptional && bytes.length === 0 ? {} : parseJsonObject(bytes);
    if (refusesUnknown) refuseUnknown(Object.keys(body), known);
    else tellUnknown(Object.keys(body), known, request);
    return schema.read(body);
  };
  const errors: ErrorCode[] = [...schema.errors, 'invalid_json', 'payload_too_large', ...ofEvery];
  if (needsLength) errors.push('length_required');
  if (refusesUnknown) errors.push('unknown_field');
  const { fields } = schema;
  return {
    shape: { kind: 'json', fields, isOptional, refusesUnknown, sizeMax: kJsonBodyMax, errors },
    read: (request) => {
      if (needsLength && request.contentLength === null) {
        throw new AppError('length_required', 'this request needs a Content-Length header');
      }
      return read(request);
    },
  };
}

interface TextOptions extends TextShape {
  readonly sizeMax: number;
  readonly tooLarge: () => AppError;
  readonly notUtf8: (cause: unknown) => AppError;
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** A complete text in UTF-8. */
export function textBody(options: TextOptions): BodyReader<string, unknown> {
  const { mediaType, purpose, sizeMax, tooLarge, notUtf8 } = options;
  return {
    shape: { kind: 'text', mediaType, purpose, sizeMax, errors: ofEvery },
    read: async (request) => {
      let bytes: Uint8Array;
      try {
        bytes = await request.readAll(sizeMax);
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'payload_too_large') throw error;
        throw tooLarge();
      }
      try {
        return decoder.decode(bytes);
      } catch (cause) {
        throw notUtf8(cause);
      }
    },
  };
}

export const kFormType = 'application/x-www-form-urlencoded';
const kFormMax = 1024 * 1024;

/** The text of a form; its parameters are encoded as in a query string. */
export function formBody(purpose: string): BodyReader<string, unknown> {
  return textBody({
    mediaType: kFormType,
    purpose,
    sizeMax: kFormMax,
    tooLarge: () => new AppError('payload_too_large', `a form has at most ${kFormMax} bytes`),
    notUtf8: (cause) =>
      new AppError('invalid_query_string', 'the form is not valid UTF-8', { cause }),
  });
}
