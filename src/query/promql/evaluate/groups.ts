/** Finds the groups of an aggregation's rows. */

import { firstRows, groupLabels, rowIds, type RowGrouping } from '../labels/row-ids.js';

import type { Pauses } from '../../limits/turns.js';
import type { LabelTable } from '../labels/label-table.js';
import type { Aggregation } from '../syntax/ast.js';
import type { VectorValue } from '../vectors/value.js';

export function groupingOf({ isWithout, labels }: Aggregation): RowGrouping {
  return { isWithout, labels };
}

/** The group of each row, and the labels of the groups. */
export interface RowGroups {
  readonly ids: Uint32Array;
  readonly count: number;
  readonly labels: LabelTable;
}

/** Groups are in the order of their first rows. */
export async function groupsOf(
  rows: VectorValue,
  grouping: RowGrouping,
  pauses: Pauses,
): Promise<RowGroups> {
  const labels = groupLabels(rows.labels, grouping);
  const grouped = await rowIds(labels, pauses);
  return { ...grouped, labels: await labels.pick(await firstRows(grouped, pauses), pauses) };
}
