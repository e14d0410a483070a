/** Words of JSON Schema 2020-12 for what routes answer. */

/** A fragment of JSON Schema 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** One that the API description has under its name. */
export interface NamedSchema {
  readonly name: string;
  readonly schema: JsonSchema;
  /** Others that it refers to. */
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
/** Lines of JSON give the first two; metadata of Prometheus all of them. */
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

/** The schema with what it means. */
export function said(schema: JsonSchema, description: string): JsonSchema {
  return { ...schema, description };
}

/** An object whose members are all required, but for those named in `optional`. */
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
