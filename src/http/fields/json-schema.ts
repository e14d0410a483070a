/** JSON Schema 2020-12 fragments for answers of routes. */

/** A fragment of JSON Schema 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A schema with a name in the API description. */
export interface NamedSchema {
  readonly name: string;
  readonly schema: JsonSchema;
  /** Named schemas that it refers to. */
  readonly uses: readonly NamedSchema[];
}

export const i64 = { type: 'integer', format: 'int64' };
export const count = { type: 'integer', minimum: 0 };
export const text = { type: 'string' };
export const texts = { type: 'array', items: text };
export const number = { type: 'number' };
export const flag = { type: 'boolean' };
export const textMap = { type: 'object', additionalProperties: text };
export const figures = { type: 'object', additionalProperties: number };
export const seriesIdSchema = { type: 'integer', format: 'uint64', minimum: 0 };
/** JSON lines give the first two, Prometheus metadata gives all of them. */
export const metricKind = {
  enum: ['gauge', 'counter', 'histogram', 'summary', 'info', 'stateset', 'gaugehistogram'],
};
export const milliseconds = { type: 'number', minimum: 0 };

export function nullable(schema: JsonSchema): JsonSchema {
  return { ...schema, type: [schema['type'], 'null'] };
}

export function listOf(items: JsonSchema): JsonSchema {
  return { type: 'array', items };
}

/** The schema with a description. */
export function said(schema: JsonSchema, description: string): JsonSchema {
  return { ...schema, description };
}

/** An object whose members are all required, except those in `optional`. */
export function object(
  properties: Readonly<Record<string, JsonSchema>>,
  optional: readonly string[] = [],
): JsonSchema {
  const required = Object.keys(properties).filter((key) => !optional.includes(key));
  return { type: 'object', properties, required };
}

export function named(
  name: string,
  schema: JsonSchema,
  uses: readonly NamedSchema[] = [],
): NamedSchema {
  return { name, schema, uses };
}

export function referenceTo({ name }: NamedSchema): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

export const errorSchema = named(
  'Error',
  object({ error: text, code: text, status: { type: 'integer' } }),
);
