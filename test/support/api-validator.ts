/** Validates answers against the schemas of the API description. */

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

import type { JsonSchema } from '../../src/http/fields/json-schema.js';
import type { RouteDescription } from '../../src/http/route/route.js';

/** Strict: an answer with a member that the description does not name fails too. */
export function apiValidator(schemas: Readonly<Record<string, JsonSchema>>): Ajv2020 {
  const formats = { int64: true, uint64: true } as const;
  const ajv = new Ajv2020({ strict: false, allErrors: true, formats });
  ajv.addSchema({ $id: 'api', components: { schemas: closed(schemas) } });
  return ajv;
}

/** Validates an answer, or each line of one in lines. */
export function answerValidator(
  ajv: Ajv2020,
  { answer }: Pick<RouteDescription, 'answer'>,
): ValidateFunction {
  if (answer.schema === undefined) return ajv.compile(true);
  const reference = { $ref: `api#/components/schemas/${answer.schema.name}` };
  return ajv.compile(answer.isArray === true ? { type: 'array', items: reference } : reference);
}

/** The same schemas, with undeclared members of objects forbidden. */
function closed(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return schema;
  const copy = Object.fromEntries(Object.entries(schema).map(([key, one]) => [key, closed(one)]));
  return 'properties' in copy ? { additionalProperties: false, ...copy } : copy;
}
