/** The parts of a metric that an export writes with its samples and an import reads back. */

export interface ExportedMetric {
  readonly name: string;
  /** The label keys of all series of the metric. */
  readonly labelKeys: readonly string[];
  /** Parts of the descriptor; null if unknown. */
  readonly kind: string | null;
  readonly unit: string | null;
  readonly description: string | null;
}

/** A metric in the answer of metric discovery. */
interface FoundMetric {
  readonly metric: string;
  readonly label_keys: readonly string[];
  /** Also present if the kind is unknown. */
  readonly kind: string;
  readonly unit?: string;
  readonly description?: string;
}

/** A metric in the answer of metric health. */
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

/** Members of an NDJSON line that describe its metric, each followed by a comma. */
export function describingMembers({ kind, unit, description }: ExportedMetric): string {
  return Object.entries({ kind, unit, description })
    .filter(([, text]) => text !== null)
    .map(([name, text]) => `"${name}":${JSON.stringify(text)},`)
    .join('');
}
