/** The request for an export of samples. */

import type { ExportQuery } from './shapes.js';

export function exportCall(
  { metric, prefix, labels, start, end }: ExportQuery,
  asOf: string | undefined,
) {
  const parameters = new URLSearchParams({ totals: 'true' });
  for (const [name, value] of Object.entries({
    ...{ metric, prefix, start, end, as_of: asOf },
    labels: labels === undefined ? undefined : JSON.stringify(labels),
  })) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  return {
    method: 'GET',
    path: `/api/v1/export?${parameters.toString()}`,
    isRepeatable: true,
  } as const;
}
