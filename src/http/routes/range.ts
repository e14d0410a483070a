/** POST and GET /api/v1/query/range */

import { AppError } from '../../errors/app-error.js';
import { parseI64, parseU64 } from '../../model/integers.js';
import { timeRange, type TimeRange } from '../../model/time-range.js';

import {
  labelPairs,
  parseJsonObject,
  readI64,
  readLabels,
  readText,
  readU64,
} from '../json-body.js';
import { streamReply, type Reply } from '../reply.js';

import type { ErrorCode } from '../../errors/catalog.js';
import type { LabelPairs, Selector } from '../../model/selector.js';
import type { Parameters } from '../parameters.js';
import type { Request } from '../request.js';
import type { RouteContext } from '../route.js';

const kJsonBodyMax = 1024 * 1024;

/** What both forms of the request say; absent is undefined. */
interface RangeRequest {
  readonly start: bigint | undefined;
  readonly end: bigint | undefined;
  readonly seriesId: bigint | undefined;
  readonly metric: string | undefined;
  readonly series: string | undefined;
  readonly labels: LabelPairs | undefined;
  readonly tags: LabelPairs | undefined;
}

export async function rangeByBodyRoute(request: Request, context: RouteContext): Promise<Reply> {
  if (request.contentLength === null) {
    throw new AppError('length_required', 'this request needs a Content-Length header');
  }
  const body = parseJsonObject(await request.readAll(kJsonBodyMax));
  return answer(context, {
    start: readI64(body, 'start', 'invalid_start'),
    end: readI64(body, 'end', 'invalid_end'),
    seriesId: readU64(body, 'series_id', 'invalid_series_id'),
    metric: readText(body, 'metric', 'invalid_metric'),
    series: readText(body, 'series', 'invalid_series'),
    labels: readLabels(body, 'labels', 'invalid_labels'),
    tags: readLabels(body, 'tags', 'invalid_tags'),
  });
}

export function rangeByQueryRoute(request: Request, context: RouteContext): Reply {
  const parameters = request.parameters();
  return answer(context, {
    start: integer(parameters, { key: 'start', code: 'invalid_start', parse: parseI64 }),
    end: integer(parameters, { key: 'end', code: 'invalid_end', parse: parseI64 }),
    seriesId: integer(parameters, { key: 'series_id', code: 'invalid_series_id', parse: parseU64 }),
    metric: parameters.get('metric'),
    series: parameters.get('series'),
    labels: labelText(parameters, 'labels', 'invalid_labels'),
    tags: labelText(parameters, 'tags', 'invalid_tags'),
  });
}

function answer(context: RouteContext, request: RangeRequest): Reply {
  return streamReply(context.operations.range(selectorOf(request), rangeOf(request)));
}

function rangeOf(request: RangeRequest): TimeRange {
  if (request.start === undefined) throw new AppError('missing_start', 'start is required');
  if (request.end === undefined) throw new AppError('missing_end', 'end is required');
  return timeRange(request.start, request.end);
}

/** Of several selectors the first in this order counts. */
function selectorOf(request: RangeRequest): Selector {
  const { seriesId, metric, series, labels, tags } = request;
  if (seriesId !== undefined) return { seriesId };
  if (metric !== undefined) return { name: metric, labels: labels ?? null };
  if (series !== undefined) return { name: series, labels: tags ?? null };
  throw new AppError('missing_selector', 'one of series_id, metric or series is required');
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
