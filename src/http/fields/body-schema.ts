/**
 * The fields of a JSON request body, declared once. `read` checks and types a body, and the API
 * description is made from the same declaration.
 *
 * A known key of the wrong type is `invalid_<key>`. A missing required key is `missing_<key>`.
 * Unknown keys are ignored.
 */

import { AppError } from '../../common/errors/app-error.js';

import { invalidCode, missingCode } from './field-codes.js';
import {
  member,
  readTs,
  readLabels,
  readLimit,
  readText,
  readU64,
  type JsonObject,
} from './json-body.js';

import { momentForms, momentOfText, momentSchema, type MomentField } from './moment.js';

import type { ErrorCode } from '../../common/errors/catalog.js';
import type { LabelPairs } from '../../common/model/selector.js';
import type { DatabaseTime } from '../../common/model/timestamp-unit.js';
import type { JsonSchema } from './json-schema.js';

export interface Field<T> {
  readonly isRequired: boolean;
  readonly purpose: string;
  readonly schema: JsonSchema;
  /** The value, or undefined if the key is absent. Throws `code` for a wrong type. */
  readonly read: (object: JsonObject, key: string, code: ErrorCode) => T | undefined;
}

interface RequiredBodyField<T> extends Field<T> {
  readonly isRequired: true;
}

export interface BodySchema<T> {
  /** In the order of declaration. */
  readonly fields: readonly (readonly [string, Field<unknown>])[];
  /** All codes that reading can throw. */
  readonly errors: readonly ErrorCode[];
  /** Throws `invalid_<key>` and `missing_<key>`. */
  read(object: JsonObject): T;
}

type BodyValueOf<F> =
  F extends RequiredBodyField<infer T> ? T : F extends Field<infer T> ? T | undefined : never;

function optional<T>(
  read: Field<T>['read'],
  purpose: string,
  schema: JsonSchema,
): Field<T> & { readonly isRequired: false } {
  return { isRequired: false, purpose, schema, read };
}

const kI64Schema = { type: 'integer', format: 'int64' };

export const field = {
  text: (purpose: string) => optional<string>(readText, purpose, { type: 'string' }),
  /** An integer in the database's unit. */
  ts: (purpose: string) => optional<DatabaseTime>(readTs, purpose, kI64Schema),
  /** An integer in the database's unit, or a text. */
  moment: (purpose: string) => optional<MomentField>(readMoment, purpose, momentSchema),
  u64: (purpose: string) =>
    optional<bigint>(readU64, purpose, { type: 'integer', format: 'uint64', minimum: 0 }),
  labels: (purpose: string) =>
    optional<LabelPairs>(readLabels, purpose, {
      type: 'object',
      additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
    }),
  limit: (purpose: string) => optional<number>(readLimit, purpose, { type: 'integer', minimum: 0 }),
  choice: <const T extends string>(choices: readonly T[], purpose: string) =>
    optional<T>((object, key, code) => readChoice(object, key, { code, choices }), purpose, {
      type: 'string',
      enum: choices,
    }),
};

function readMoment(object: JsonObject, key: string, code: ErrorCode): MomentField | undefined {
  const value = member(object, key);
  const text = typeof value === 'string' ? momentOfText(value) : null;
  if (text !== null) return text;
  if (typeof value === 'string') throw new AppError(code, `${key} must be ${momentForms}`);
  return readTs(object, key, code);
}

function readChoice<T extends string>(
  object: JsonObject,
  key: string,
  { code, choices }: { readonly code: ErrorCode; readonly choices: readonly T[] },
): T | undefined {
  const value = member(object, key);
  if (value === undefined) return undefined;
  const found = choices.find((choice) => choice === value);
  if (found === undefined) throw new AppError(code, `${key} must be one of ${choices.join(', ')}`);
  return found;
}

export function required<T>(one: Field<T>): RequiredBodyField<T> {
  return { ...one, isRequired: true };
}

const labelOps = ['and', 'or'] as const;

/** `and` unless the body says `or`. */
export const opField = field.choice(labelOps, 'How several labels combine; `and` if absent.');

/** Throws at start if the error catalogue lacks a code of the fields. */
export function bodySchema<F extends Readonly<Record<string, Field<unknown>>>>(
  fields: F,
): BodySchema<{ readonly [K in keyof F]: BodyValueOf<F[K]> }> {
  const rows = Object.entries(fields).map(([key, one]) => ({
    key,
    one,
    invalid: invalidCode(key),
    missing: one.isRequired ? missingCode(key) : null,
  }));
  return {
    fields: Object.entries(fields),
    errors: rows.flatMap(({ invalid, missing }) =>
      missing === null ? [invalid] : [missing, invalid],
    ),
    read(object) {
      const body: Record<string, unknown> = {};
      for (const { key, one, invalid, missing } of rows) {
        const value = one.read(object, key, invalid);
        if (value === undefined && missing !== null) {
          throw new AppError(missing, `${key} is required`);
        }
        body[key] = value;
      }
      // Each key of F was just read by the field that gives it its type.
      return body as { readonly [K in keyof F]: BodyValueOf<F[K]> };
    },
  };
}
