/** What the API description says of one route. */

import type { AnswerSchemaName } from './schemas.js';
import type { ErrorCode } from '../../errors/catalog.js';
import type { BodySchema, JsonSchema } from '../body-schema.js';

export interface ApiParameter {
  readonly name: string;
  readonly purpose: string;
  readonly schema: JsonSchema;
  readonly isRequired?: boolean;
  readonly example?: string;
}

export type ApiBody =
  | {
      readonly kind: 'json';
      readonly schema: BodySchema<unknown>;
      readonly example: Readonly<Record<string, unknown>>;
    }
  | {
      readonly kind: 'text';
      readonly mediaType: string;
      readonly purpose: string;
      readonly example: string;
    };

export interface ApiAnswer {
  readonly status?: number;
  readonly mediaType?: string;
  readonly purpose: string;
  /** Absent: text, or JSON of any form. */
  readonly schema?: AnswerSchemaName;
  readonly isArray?: boolean;
}

export interface ApiOperation {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly tag: 'write' | 'read' | 'discover' | 'annotate' | 'query' | 'operate';
  readonly summary: string;
  readonly parameters?: readonly ApiParameter[];
  readonly body?: ApiBody;
  readonly answer: ApiAnswer;
  /** An answer that is no success and has not the form of errors, in place of theirs. */
  readonly refusal?: ApiAnswer;
  /** Beside those that every route of its kind can answer. */
  readonly errors: readonly ErrorCode[];
}
