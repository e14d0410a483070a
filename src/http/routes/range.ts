/** POST and GET /api/v1/query/range */

import { AppError } from '../../errors/app-error.js';
import { parseI64, parseU64 } from '../../model/integers.js';
import { timeRange } from '../../model/time-range.js';

import { bodySchema, field, readBody, required } from '../body-schema.js';
import { labelPairs, parseJsonObject } from '../json-body.js';
import { streamReply, type Reply } from '../reply.js';
import { selectorFields, selectorOf, type SelectorParts } from '../selector-fields.js';

import type { ErrorCode } from '../../errors/catalog.js';
import type { LabelPairs } from '../../model/selector.js';
import type { Parameters } from '../parameters.js';
import type { Request } from '../request.js';
import type { RouteContext } from '../route.js';

export const rangeBody = bodySchema({
  start: required(field.i64('The first timestamp, inside the range.')),
  end: required(field.i64('The last timestamp, inside the range.')),
  ...selectorFields,
});

interface RangeRequest extends SelectorParts {
  readonly start: bigint;
  readonly end: bigint;
}

export async function rangeByBodyRoute(request: Request, context: RouteContext): Promise<Reply> {
  if (request.contentLength === null) {
    throw new AppError('length_required', 'this request needs a Content-Length header');
  }
  return answer(context, await readBody(request, rangeBody));
}

export function rangeByQueryRoute(request: Request, context: RouteContext): Reply {
  const parameters = request.parameters();
  const parts = {
    start: integer(parameters, { key: 'start', code: 'invalid_start', parse: parseI64 }),
    end: integer(parameters, { key: 'end', code: 'invalid_end', parse: parseI64 }),
    series_id: integer(parameters, {
      key: 'series_id',
      code: 'invalid_series_id',
      parse: parseU64,
    }),
    metric: parameters.get('metric'),
    series: parameters.get('series'),
    labels: labelText(parameters, 'labels', 'invalid_labels'),
    tags: labelText(parameters, 'tags', 'invalid_tags'),
  };
  const { start, end } = parts;
  if (start === undefined) throw new AppError('missing_start', 'start is required');
  if (end === undefined) throw new AppError('missing_end', 'end is required');
  return answer(context, { ...parts, start, end });
}

function answer(context: RouteContext, request: RangeRequest): Reply {
  const range = timeRange(request.start, request.end);
  return streamReply(context.operations.range(selectorOf(request), range));
}

interface IntegerParameter {
  readonly key: string;
  readonly code: ErrorCode;
  readonly parse: (token: string) => bigint | null;
}

function integer(parameters: Parameters, wanted: IntegerParameter): bigint | undefined {
  const text = parameters.get(wanted.key);
  if (text === undefined) return undefined;
  const value = wanted.parse(text);
  if (value === null) throw new AppError(wanted.code, `${wanted.key} must be a 64-bit integer`);
  return value;
}

function labelText(parameters: Parameters, key: string, code: ErrorCode): LabelPairs | undefined {
  const text = parameters.get(key);
  if (text === undefined) return undefined;
  try {
    return labelPairs(parseJsonObject(text), key, code);
  } catch (cause) {
    throw new AppError(code, `${key} must be the text of a JSON object of strings`, { cause });
  }
}
