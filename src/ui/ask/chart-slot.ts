/** Where a chart of an answer comes from: what draws one puts itself here. */

import type { QueryResult } from '../../client/client.js';
import type { ComponentType } from 'preact';

type ResultChart = ComponentType<{ readonly result: QueryResult }>;

/** Null: there is no chart, and no tab for it. */
export const chartSlot: { load: (() => Promise<ResultChart>) | null } = { load: null };

/** A chart needs a time and a number. */
export function isDrawable({ columns, rows }: QueryResult): boolean {
  const types = columns.map(({ type }) => type);
  const hasNumber = types.includes('float') || types.includes('integer');
  return rows.length > 0 && types.includes('timestamp') && hasNumber;
}
