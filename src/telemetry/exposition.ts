/** The Prometheus text format, version 0.0.4. */

type ExposedLabels = Readonly<Record<string, string>>;

export interface MetricFamily {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly samples: readonly MetricSample[];
}

export interface MetricSample {
  /** The suffix of the family's name: empty, `_bucket`, `_sum` or `_count`. */
  readonly suffix?: string;
  readonly labels?: ExposedLabels;
  readonly value: number;
}

export const kExpositionContentType = 'text/plain; version=0.0.4; charset=utf-8';

export function printFamilies(families: readonly MetricFamily[]): string {
  let text = '';
  for (const family of families) {
    if (family.samples.length === 0) continue;
    text += `# HELP ${family.name} ${escapeHelp(family.help)}\n`;
    text += `# TYPE ${family.name} ${family.type}\n`;
    for (const sample of family.samples) {
      const name = family.name + (sample.suffix ?? '');
      text += `${name}${printLabels(sample.labels)} ${printValue(sample.value)}\n`;
    }
  }
  return text;
}

/** A family with one sample. The suffix `_total` marks a counter; other names are gauges. */
export function single(name: string, help: string, value: number): MetricFamily {
  return { name, help, type: name.endsWith('_total') ? 'counter' : 'gauge', samples: [{ value }] };
}

/**
 * A histogram's samples. `counts` has one entry more than `bounds`, for values above the last
 * bound.
 */
export function histogramSamples(
  labels: ExposedLabels,
  bounds: readonly number[],
  measured: { readonly counts: ArrayLike<number>; readonly sum: number },
): readonly MetricSample[] {
  const samples: MetricSample[] = [];
  let total = 0;
  bounds.forEach((bound, index) => {
    total += measured.counts[index] ?? 0;
    samples.push({ suffix: '_bucket', labels: { ...labels, le: String(bound) }, value: total });
  });
  total += measured.counts[bounds.length] ?? 0;
  samples.push({ suffix: '_bucket', labels: { ...labels, le: '+Inf' }, value: total });
  samples.push({ suffix: '_sum', labels, value: measured.sum });
  samples.push({ suffix: '_count', labels, value: total });
  return samples;
}

function printLabels(labels: ExposedLabels | undefined): string {
  const pairs = Object.entries(labels ?? {}).map(
    ([key, value]) => `${key}="${escapeLabel(value)}"`,
  );
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escapeHelp(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

function escapeLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

function printValue(value: number): string {
  if (value === Infinity) return '+Inf';
  return value === -Infinity ? '-Inf' : String(value);
}
