/** Which rows an aggregation puts together. */

import { firstRows, groupLabels, rowIds, type Grouping } from '../labels/row-ids.js';

import type { LabelTable } from '../labels/label-table.js';
import type { Aggregation } from '../syntax/ast.js';
import type { VectorValue } from '../vectors/value.js';

export function groupingOf({ isWithout, labels }: Aggregation): Grouping {
  return { isWithout, labels };
}

/** Which group each row is of, and what the groups are called. */
export interface Groups {
  readonly ids: Uint32Array;
  readonly count: number;
  readonly labels: LabelTable;
}

/** In the order of their first rows. */
export function groupsOf(rows: VectorValue, grouping: Grouping): Groups {
  const labels = groupLabels(rows.labels, grouping);
  const grouped = rowIds(labels);
  return { ...grouped, labels: labels.pick(firstRows(grouped)) };
}
