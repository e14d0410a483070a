/** Finds the groups of an aggregation's rows. */

import { firstRows, groupLabels, rowIds, type Grouping } from '../labels/row-ids.js';

import type { LabelTable } from '../labels/label-table.js';
import type { Aggregation } from '../syntax/ast.js';
import type { VectorValue } from '../vectors/value.js';

export function groupingOf({ isWithout, labels }: Aggregation): Grouping {
  return { isWithout, labels };
}

/** The group of each row, and the labels of the groups. */
export interface Groups {
  readonly ids: Uint32Array;
  readonly count: number;
  readonly labels: LabelTable;
}

/** Groups are in the order of their first rows. */
export function groupsOf(rows: VectorValue, grouping: Grouping): Groups {
  const labels = groupLabels(rows.labels, grouping);
  const grouped = rowIds(labels);
  return { ...grouped, labels: labels.pick(firstRows(grouped)) };
}
