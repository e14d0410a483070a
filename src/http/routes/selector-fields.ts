/** The three ways to select a series, as fields of a body. */

import { AppError } from '../../common/errors/app-error.js';

import { field } from '../fields/body-schema.js';

import type { ErrorCode } from '../../common/errors/catalog.js';
import type { LabelPairs, Selector } from '../../common/model/selector.js';

export const selectorFields = {
  series_id: field.u64('The id of the series; takes precedence over `metric` and `series`.'),
  metric: field.text('The metric name; takes precedence over `series`.'),
  series: field.text('The name of a legacy series.'),
  labels: field.labels('The exact labels, with `metric`.'),
  tags: field.labels('The exact tags, with `series`.'),
};

export interface SelectorParts {
  readonly series_id: bigint | undefined;
  readonly metric: string | undefined;
  readonly series: string | undefined;
  readonly labels: LabelPairs | undefined;
  readonly tags: LabelPairs | undefined;
}

/** The first of several selectors in this order counts. Throws `missing_selector`. */
export function selectorOf(parts: SelectorParts): Selector {
  const { series_id: seriesId, metric, series, labels, tags } = parts;
  if (seriesId !== undefined) return { seriesId };
  if (metric !== undefined) return { name: metric, labels: labels ?? null };
  if (series !== undefined) return { name: series, labels: tags ?? null, isLegacy: true };
  throw new AppError('missing_selector', 'one of series_id, metric or series is required');
}

/** The codes of selecting a series, in addition to those of its fields. */
export const selectorErrors: readonly ErrorCode[] = ['missing_selector', 'ambiguous_selector'];
