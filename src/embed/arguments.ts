/**
 * Converts a program's arguments to those of the operations. Refusals use the API's error codes.
 */

import { AppError } from '../common/errors/app-error.js';
import { parseI64, parseU64 } from '../common/model/integers.js';
import { timeRange, type TimeRange } from '../common/model/time-range.js';
import { databaseTime, type DatabaseTime } from '../common/model/timestamp-unit.js';

import type {
  AnnotationFilter,
  Integer,
  Labels,
  MetricFilter,
  NewAnnotation,
  SeriesSelector,
} from '../client/shapes.js';
import type { ErrorCode } from '../common/errors/catalog.js';
import type { AnnotationQuestion, AnnotationText } from '../operations/annotate.js';
import type { Selector } from '../common/model/selector.js';

export function metricsQuestion({ prefix, labels, limit }: MetricFilter) {
  return { prefix, labels: pairsOf(labels) ?? undefined, limit: limitOf(limit) };
}

export function limitOf(limit: number | undefined): number | undefined {
  if (limit === undefined || (Number.isSafeInteger(limit) && limit >= 0)) return limit;
  throw new AppError('invalid_limit', 'limit must be an integer of at least 0');
}

export function i64(value: Integer, name: string, code: ErrorCode): bigint {
  const isWhole = typeof value === 'bigint' || Number.isSafeInteger(value);
  const integer = isWhole ? parseI64(String(value)) : null;
  if (integer === null) throw new AppError(code, `${name} must be a 64-bit integer`);
  return integer;
}

/** A time in the database's unit. */
export function ts(value: Integer, name: string, code: ErrorCode): DatabaseTime {
  return databaseTime(i64(value, name, code));
}

export function rangeOf(query: { readonly start: Integer; readonly end: Integer }): TimeRange {
  return timeRange(ts(query.start, 'start', 'invalid_start'), ts(query.end, 'end', 'invalid_end'));
}

export function pairsOf(labels: Labels | undefined): readonly (readonly [string, string])[] | null {
  return labels === undefined ? null : Object.entries(labels);
}

export function selectorOf(query: SeriesSelector): Selector {
  if ('series_id' in query) {
    const { series_id: id } = query;
    const isWhole = typeof id === 'bigint' || Number.isSafeInteger(id);
    const seriesId = isWhole ? parseU64(String(id)) : null;
    if (seriesId !== null) return { seriesId };
    throw new AppError('invalid_series_id', 'series_id must be an unsigned 64-bit integer');
  }
  if ('metric' in query) return { name: query.metric, labels: pairsOf(query.labels) };
  return { name: query.series, labels: pairsOf(query.tags) };
}

export function annotationText(note: NewAnnotation): AnnotationText {
  const { kind, title, message, metric, end } = note;
  return {
    ...{ kind, title, message, metric },
    labels: pairsOf(note.labels) ?? undefined,
    start: ts(note.start, 'start', 'invalid_start'),
    end: end === undefined ? undefined : ts(end, 'end', 'invalid_end'),
  };
}

export function annotationQuestion(filter: AnnotationFilter): AnnotationQuestion {
  const { start, end, kind, metric, op } = filter;
  return {
    start: start === undefined ? undefined : ts(start, 'start', 'invalid_start'),
    end: end === undefined ? undefined : ts(end, 'end', 'invalid_end'),
    labels: pairsOf(filter.labels) ?? undefined,
    ...{ kind, metric, op, limit: limitOf(filter.limit) },
  };
}
