/**
 * The parameters of a query string, declared once. `read` checks and types them, and the API
 * description is made from the same declaration.
 *
 * An unreadable value is `invalid_<key>`, or the code that its field names. A missing required
 * parameter is `missing_<key>`. Invalid parameters are reported before missing ones. Other
 * parameters are ignored unless the schema refuses them; if one looks misspelt, the client gets a
 * warning.
 */

import { AppError } from '../../common/errors/app-error.js';
import { parseU64 } from '../../common/model/integers.js';
import { parseTs } from '../../common/model/time-text.js';

import { invalidCode, missingCode } from './field-codes.js';
import { labelPairs, parseJsonObject } from './json-body.js';
import { momentForms, momentOfText, momentSchema, type MomentField } from './moment.js';
import { parseParameters, repeatedParameter } from './parameters.js';
import { refuseUnknown, tellMisspelt, type Warned } from './unknown-names.js';

import type { ErrorCode } from '../../common/errors/catalog.js';
import type { LabelPairs } from '../../common/model/selector.js';
import type { JsonSchema } from './json-schema.js';

export interface QueryField<T> {
  readonly isRequired: boolean;
  readonly purpose: string;
  readonly schema: JsonSchema;
  /** The code of an unreadable value; null if every text is valid. */
  readonly codeOf: (key: string) => ErrorCode | null;
  /** Throws `code`. */
  readonly read: (text: string, key: string, code: ErrorCode) => T;
  /** Replaces `read`: takes all values of a repeatable parameter. */
  readonly readAll?: (texts: readonly string[]) => T;
  /** The default of an absent parameter. */
  readonly fallback?: T;
}

interface RequiredQueryField<T> extends QueryField<T> {
  readonly isRequired: true;
}

interface FallbackField<T> extends QueryField<T> {
  readonly fallback: T;
}

type QueryValueOf<F> =
  F extends QueryField<infer T>
    ? F extends { readonly isRequired: true } | { readonly fallback: unknown }
      ? T
      : T | undefined
    : never;

export interface QueryShape {
  /** In the order of declaration. */
  readonly fields: readonly (readonly [string, QueryField<unknown>])[];
  /** Other parameters are `unknown_field`. */
  readonly refusesUnknown: boolean;
  /** All codes that reading can throw. */
  readonly errors: readonly ErrorCode[];
}

export interface QueryReader<T> {
  readonly shape: QueryShape;
  /** Takes the undecoded text after the question mark. */
  read(query: string, warned: Warned): T;
}

const i64Schema = { type: 'integer', format: 'int64' };
const textSchema = { type: 'string' };

type Optional<T> = QueryField<T> & { readonly isRequired: false };

export const parameter = {
  /** Any text; the operation validates it. */
  text: (purpose: string): Optional<string> => ({
    isRequired: false,
    purpose,
    schema: textSchema,
    codeOf: () => null,
    read: (text) => text,
  }),
  /** Any texts; repeatable. */
  texts: (
    purpose: string,
  ): Optional<readonly string[]> & { readonly fallback: readonly string[] } => ({
    isRequired: false,
    purpose,
    schema: { type: 'array', items: textSchema },
    codeOf: () => null,
    read: (text) => [text],
    readAll: (texts) => texts,
    fallback: [],
  }),
  /** An integer in the database's unit. */
  ts: (purpose: string) => integer(purpose, i64Schema, parseTs),
  /** An integer in the database's unit, or a text. */
  moment: (purpose: string): Optional<MomentField> => ({
    isRequired: false,
    purpose,
    schema: momentSchema,
    codeOf: invalidCode,
    read: (text, key, code) => {
      const moment = parseTs(text) ?? momentOfText(text);
      if (moment === null) throw new AppError(code, `${key} must be ${momentForms}`);
      return moment;
    },
  }),
  u64: (purpose: string) =>
    integer(purpose, { type: 'integer', format: 'uint64', minimum: 0 }, parseU64),
  /** The text of a JSON object. */
  labels: (purpose: string): Optional<LabelPairs> => ({
    isRequired: false,
    purpose,
    schema: textSchema,
    codeOf: invalidCode,
    read: readLabels,
  }),
  choice: <const T extends string>(choices: readonly T[], purpose: string): Optional<T> => ({
    isRequired: false,
    purpose,
    schema: { enum: choices },
    codeOf: invalidCode,
    read: (text, key, code) => readChoice(text, { key, code, choices }),
  }),
  /** `true` or `false`, with a default. */
  flag: (purpose: string): Optional<boolean> & { readonly fallback: boolean } => ({
    isRequired: false,
    purpose,
    schema: { type: 'boolean', default: false },
    codeOf: () => 'invalid_flag',
    read: (text, key, code) =>
      readChoice(text, { key, code, choices: ['true', 'false'] }) === 'true',
    fallback: false,
  }),
};

function integer<Integer extends bigint>(
  purpose: string,
  schema: JsonSchema,
  parse: (token: string) => Integer | null,
): Optional<Integer> {
  const read = (text: string, key: string, code: ErrorCode): Integer => {
    const value = parse(text);
    if (value === null) throw new AppError(code, `${key} must be a 64-bit integer`);
    return value;
  };
  return { isRequired: false, purpose, schema, codeOf: invalidCode, read };
}

function readLabels(text: string, key: string, code: ErrorCode): LabelPairs {
  try {
    return labelPairs(parseJsonObject(text), key, code);
  } catch (cause) {
    throw new AppError(code, `${key} must be the text of a JSON object of strings`, { cause });
  }
}

interface ParameterChoice<T extends string> {
  readonly key: string;
  readonly code: ErrorCode;
  readonly choices: readonly T[];
}

function readChoice<T extends string>(text: string, { key, code, choices }: ParameterChoice<T>): T {
  const found = choices.find((choice) => choice === text);
  if (found !== undefined) return found;
  const all = `${choices.slice(0, -1).join(', ')} or ${choices.at(-1) ?? ''}`;
  throw new AppError(code, `${key} must be ${all}`);
}

export function requiredParameter<T>(field: QueryField<T>): RequiredQueryField<T> {
  return { ...field, isRequired: true };
}

/** Adds the default to the description. */
export function defaultsTo<T>(field: QueryField<T>, fallback: NoInfer<T>): FallbackField<T> {
  return { ...field, schema: { ...field.schema, default: fallback }, fallback };
}

interface QuerySchemaOptions {
  readonly refusesUnknown?: boolean;
  /** Parameters of other routes, and why this one cannot have them: `invalid_parameter`. */
  readonly refused?: Readonly<Record<string, string>>;
  /** The suggestion for an unknown name without a similar known name. */
  readonly hintOf?: (name: string) => string;
}

/** Throws at start if the error catalogue lacks a code that the fields need. */
export function querySchema<F extends Readonly<Record<string, QueryField<unknown>>>>(
  fields: F,
  { refusesUnknown = false, refused = {}, hintOf }: QuerySchemaOptions = {},
): QueryReader<{ readonly [K in keyof F]: QueryValueOf<F[K]> }> {
  const rows = Object.entries(fields).map(([key, field]) => ({
    key,
    field,
    invalid: field.codeOf(key),
    missing: field.isRequired ? missingCode(key) : null,
  }));
  const codes = rows.flatMap(({ invalid, missing }) => [invalid, missing]);
  const known = Object.keys(fields);
  const refusals = Object.entries(refused);
  const hinted = hintOf === undefined ? {} : { hintOf };
  // An object created with all its keys is faster than one that gains them later.
  const absent = Object.fromEntries(rows.map(({ key, field }) => [key, field.fallback]));
  return {
    shape: {
      fields: Object.entries(fields),
      refusesUnknown,
      errors: [
        ...new Set(codes.filter((code) => code !== null)),
        'invalid_query_string',
        ...(refusesUnknown ? (['unknown_field'] as const) : []),
      ],
    },
    read(query, warned) {
      const given = parseParameters(query);
      for (const [key, why] of refusals) {
        if (given.has(key)) throw new AppError('invalid_parameter', why);
      }
      if (refusesUnknown) refuseUnknown(given.keys(), known);
      else tellMisspelt(given.keys(), known, { warned, ...hinted });
      const values: Record<string, unknown> = { ...absent };
      for (const { key, field, invalid } of rows) {
        const text = given.get(key);
        // A field without a code throws none.
        const code = invalid ?? 'invalid_query_string';
        if (text === undefined) continue;
        if (field.readAll === undefined) values[key] = field.read(text, key, code);
        else values[key] = field.readAll(repeatedParameter(query, key));
      }
      for (const { key, missing } of rows) {
        if (missing !== null && values[key] === undefined) {
          throw new AppError(missing, `${key} is required`);
        }
      }
      // Each key of F was just read by the field that gives it its type.
      return values as { readonly [K in keyof F]: QueryValueOf<F[K]> };
    },
  };
}
