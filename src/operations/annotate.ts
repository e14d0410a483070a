/** Annotations: validation, storing, searching. */

import { AppError } from '../common/errors/app-error.js';
import { kI64Max } from '../common/model/integers.js';
import { isName, isWellFormed, kLabelCountMax, utf8Size } from '../common/model/names.js';
import { timeRange } from '../common/model/time-range.js';
import { kFirstTime, kLastTime, type DatabaseTime } from '../common/model/timestamp-unit.js';

import { kBoardLabel, labelsOfNotes } from './board-label.js';

import type { ErrorCode } from '../common/errors/catalog.js';
import type { LabelPairs } from '../common/model/selector.js';
import type { ByteStream, SeriesStore } from '../storage/storage.js';

const kTitleSizeMax = 1024;
const kMessageSizeMax = 64 * 1024;
/** Limit for all keys and values together. */
const kLabelsSizeMax = 16 * 1024;

export interface AnnotationText {
  /** The id of the annotation to replace; absent: a new one. */
  readonly id?: bigint;
  readonly kind: string;
  readonly title: string;
  readonly message: string | undefined;
  readonly metric: string | undefined;
  readonly labels: LabelPairs | undefined;
  readonly start: DatabaseTime;
  /** `start` if absent. */
  readonly end: DatabaseTime | undefined;
}

export interface AnnotationQuestion {
  readonly start: DatabaseTime | undefined;
  readonly end: DatabaseTime | undefined;
  readonly kind: string | undefined;
  readonly metric: string | undefined;
  readonly labels: LabelPairs | undefined;
  readonly op: 'and' | 'or' | undefined;
  readonly limit: number | undefined;
}

/**
 * Resolves with the record's JSON. Rejects with `invalid_kind`, `invalid_title`,
 * `invalid_message`, `invalid_metric`, `invalid_labels`, `invalid_time_range`,
 * `annotation_not_found`.
 */
export async function annotate(storage: SeriesStore, text: AnnotationText): Promise<string> {
  const { kind, title, message, metric } = text;
  const { start, end } = timeRange(text.start, text.end ?? text.start);
  check(isName(kind), 'invalid_kind', 'kind must be 1 to 255 bytes without control characters');
  check(
    isName(title, kTitleSizeMax),
    'invalid_title',
    `title must be 1 to ${kTitleSizeMax} bytes without control characters`,
  );
  check(
    message === undefined || (utf8Size(message) <= kMessageSizeMax && isWellFormed(message)),
    'invalid_message',
    `message must be at most ${kMessageSizeMax} bytes of UTF-8`,
  );
  check(
    metric === undefined || isName(metric),
    'invalid_metric',
    'metric must be 1 to 255 bytes without control characters',
  );
  checkLabels(text.labels ?? []);
  // A label with an empty value counts as absent.
  const labels = (text.labels ?? []).filter(([, value]) => value !== '');
  return storage.annotate({
    changes: text.id === undefined ? 0n : knownId(text.id),
    ...{ kind, title, labels, start, end },
    message: message ?? null,
    metric: metric ?? null,
    required: labelsOfNotes,
  });
}

/** Resolves with the JSON of the deleted annotation. Rejects with `annotation_not_found`. */
export async function deleteAnnotation(storage: SeriesStore, id: bigint): Promise<string> {
  return storage.deleteAnnotation(knownId(id), labelsOfNotes);
}

/** Ids count from 1. Throws `annotation_not_found`. */
export function knownId(id: bigint): bigint {
  if (id > 0n && id <= kI64Max) return id;
  throw new AppError('annotation_not_found', `there is no annotation ${id}`);
}

/** The JSON array of the records. Throws `invalid_time_range`. */
export function findAnnotations(storage: SeriesStore, question: AnnotationQuestion): ByteStream {
  const { start, end } = timeRange(question.start ?? kFirstTime, question.end ?? kLastTime);
  return storage.openAnnotations({
    ...{ start, end },
    kind: question.kind ?? null,
    metric: question.metric ?? null,
    labels: question.labels ?? [],
    isAnyLabel: question.op === 'or',
    required: labelsOfNotes,
    limit: question.limit ?? null,
  });
}

function checkLabels(labels: LabelPairs): void {
  const code = 'invalid_labels';
  check(labels.length <= kLabelCountMax, code, `labels has more than ${kLabelCountMax} keys`);
  let size = 0;
  for (const [key, value] of labels) {
    check(isName(key), code, 'a label key must be 1 to 255 bytes without control characters');
    check(isWellFormed(value), code, 'a label value is not valid text');
    check(key !== kBoardLabel, code, `the label ${kBoardLabel} belongs to boards`);
    size += utf8Size(key) + utf8Size(value);
  }
  check(size <= kLabelsSizeMax, code, `labels is larger than ${kLabelsSizeMax} bytes`);
}

export function check(holds: boolean, code: ErrorCode, message: string): void {
  if (!holds) throw new AppError(code, message);
}
