/** The Prometheus text format, version 0.0.4. */

export type Labels = Readonly<Record<string, string>>;

export interface MetricFamily {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly samples: readonly MetricSample[];
}

export interface MetricSample {
  /** What follows the family's name: empty, `_bucket`, `_sum` or `_count`. */
  readonly suffix?: string;
  readonly labels?: Labels;
  readonly value: number;
}

export const kExpositionContentType = 'text/plain; version=0.0.4; charset=utf-8';

export function printFamilies(families: readonly MetricFamily[]): string {
  let text = '';
  for (const family of families) {
    text += `# HELP ${family.name} ${family.help}\n# TYPE ${family.name} ${family.type}\n`;
    for (const sample of family.samples) {
      const name = family.name + (sample.suffix ?? '');
      text += `${name}${printLabels(sample.labels)} ${printValue(sample.value)}\n`;
    }
  }
  return text;
}

/** A family with one sample; the name tells a counter from a gauge. */
export function single(name: string, help: string, value: number): MetricFamily {
  return { name, help, type: name.endsWith('_total') ? 'counter' : 'gauge', samples: [{ value }] };
}

function printLabels(labels: Labels | undefined): string {
  if (labels === undefined) return '';
  const pairs = Object.entries(labels).map(([key, value]) => `${key}="${escapeLabel(value)}"`);
  return `{${pairs.join(',')}}`;
}

function escapeLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

function printValue(value: number): string {
  if (value === Infinity) return '+Inf';
  return value === -Infinity ? '-Inf' : String(value);
}
