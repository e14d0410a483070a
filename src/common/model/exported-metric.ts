/** What of a metric leaves the database with its samples, and comes back with them. */

export interface ExportedMetric {
  readonly name: string;
  /** Of all of its series. */
  readonly labelKeys: readonly string[];
  /** What is known of it; null is unknown. */
  readonly kind: string | null;
  readonly unit: string | null;
  readonly description: string | null;
}

/** As discovery finds it. */
interface FoundMetric {
  readonly metric: string;
  readonly label_keys: readonly string[];
  /** Also where it is unknown. */
  readonly kind: string;
  readonly unit?: string;
  readonly description?: string;
}

/** As its health is told. */
interface MetricGaps {
  readonly metric: string;
  readonly missing_metadata: readonly string[];
}

export function exportedMetrics(
  found: readonly FoundMetric[],
  health: readonly MetricGaps[],
): readonly ExportedMetric[] {
  const withoutKind = new Set(
    health
      .filter(({ missing_metadata: missing }) => missing.includes('kind'))
      .map(({ metric }) => metric),
  );
  return found.map(({ metric, label_keys: labelKeys, kind, unit, description }) => ({
    name: metric,
    labelKeys,
    kind: withoutKind.has(metric) ? null : kind,
    unit: unit ?? null,
    description: description ?? null,
  }));
}

export function isDescribed({ kind, unit, description }: ExportedMetric): boolean {
  return [kind, unit, description].some((one) => one !== null);
}

/** Members of a line of NDJSON that describe its metric, each followed by a comma. */
export function describingMembers({ kind, unit, description }: ExportedMetric): string {
  return Object.entries({ kind, unit, description })
    .filter(([, text]) => text !== null)
    .map(([name, text]) => `"${name}":${JSON.stringify(text)},`)
    .join('');
}
