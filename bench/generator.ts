/**
 * The measured load: hosts that report ten cpu metrics every ten seconds, as seeded random walks.
 * The request bodies are built before any clock runs. One sample per line and ten fields per line
 * give the same series.
 */
import { Random } from '../test/support/random.js';

/**
 * The values of a series. Walks stay within 0 to 100 with normal steps of deviation 1. They are cut
 * to integers, rounded to hundredths, or kept in full precision. A counter grows by 1000 with
 * deviation 300. An integer gauge varies independently around a level with deviation 20.
 */
export type ValueKind = 'integer walk' | '2-decimal walk' | 'doubles' | 'counter' | 'integer gauge';

export type LoadFormat = 'ndjson' | 'line protocol';

export interface LoadShape {
  /** NDJSON if absent. */
  readonly format?: LoadFormat;
  readonly hosts: number;
  /** Points of every series. */
  readonly steps: number;
  readonly fieldsPerLine: 1 | 10;
  readonly values: ValueKind;
  /**
   * The series of different shares have different hosts, so that connections write different
   * series.
   */
  readonly share?: number;
}

export interface Load {
  readonly bodies: readonly Buffer[];
  readonly samples: number;
  readonly bytes: number;
}

export const metrics: readonly string[] = [
  'usage_user',
  'usage_system',
  'usage_idle',
  'usage_nice',
  'usage_iowait',
  'usage_irq',
  'usage_softirq',
  'usage_steal',
  'usage_guest',
  'usage_guest_nice',
];
export const firstTs = 1_700_000_000_000;
export const stepMs = 10_000;
export const hourMs = 3_600_000;

const regions = ['eu-central-1', 'us-east-1', 'ap-south-1', 'sa-east-1'] as const;
const bodySizeBytes = 1 << 20;
const walkSeed = 20_240_601;

/** Builds all bodies of a load. */
export function buildLoad(shape: LoadShape): Load {
  const bodies = [...loadBodies(shape)];
  const bytes = bodies.reduce((sum, body) => sum + body.length, 0);
  return { bodies, samples: shape.hosts * metrics.length * shape.steps, bytes };
}

/** The bodies of a load, each about 1 MiB and generated on demand, with lines in time order. */
export function* loadBodies(shape: LoadShape): Generator<Buffer> {
  const random = new Random(walkSeed + (shape.share ?? 0));
  const walks = new Float64Array(shape.hosts * metrics.length);
  for (let at = 0; at < walks.length; at++) walks[at] = random.unit() * 100;
  const linesOf = formats[shape.format ?? 'ndjson'];
  const heads = Array.from({ length: shape.hosts }, (_, host) =>
    linesOf.head(labelsOf(host, shape.share)),
  );

  const print = shape.fieldsPerLine === 10 ? linesOf.tenFields : linesOf.oneField;

  yield* bodiesOf({ heads, from: 0, steps: shape.steps }, ({ host, head, ts }) =>
    print(head, ts, advance(walks, host, shape.values, random)),
  );
}

/** Hosts and steps of a load. `heads` are the beginnings of the lines, one per host. */
interface Reports {
  readonly heads: readonly string[];
  readonly from: number;
  readonly steps: number;
}

interface Report {
  readonly host: number;
  readonly head: string;
  readonly step: number;
  readonly ts: string;
}

/** The lines of all reports in time order, in bodies of about 1 MiB. */
function* bodiesOf(
  { heads, from, steps }: Reports,
  linesOf: (report: Report) => string,
): Generator<Buffer> {
  let text = '';
  for (let step = from; step < from + steps; step++) {
    const ts = String(firstTs + step * stepMs);
    for (const [host, head] of heads.entries()) {
      text += linesOf({ host, head, step, ts });
      if (text.length < bodySizeBytes) continue;
      yield Buffer.from(text, 'latin1');
      text = '';
    }
  }
  if (text !== '') yield Buffer.from(text, 'latin1');
}

/** The number of walks that the hosts of a fleet share. */
const kFleetWalks = 64;

/**
 * The bodies of a large load with ten fields per line, generated on demand. Hosts share some walks
 * at different points, so that generation takes less time than ingest. `from` is the first step.
 */
export function* fleetBodies(hosts: number, steps: number, from = 0): Generator<Buffer> {
  const points = from + steps + Math.ceil(hosts / kFleetWalks);
  const fields = fleetFields(points);
  const heads = Array.from(
    { length: hosts },
    (_, host) => `{"metric":"cpu","labels":${JSON.stringify(labelsOf(host))},"ts":`,
  );
  yield* bodiesOf({ heads, from, steps }, ({ host, head, step, ts }) => {
    const point = (host % kFleetWalks) * points + step + Math.floor(host / kFleetWalks);
    return `${head}${ts},"fields":{${fields[point] ?? ''}}}\n`;
  });
}

/** The counter of each host: a field of a measurement. */
const counted = { measurement: 'requests', field: 'total' } as const;
export const counterName = `${counted.measurement}_${counted.field}`;
/** The counter's name as a field of a metric in seriesdb. */
export const counterField = `${counted.measurement}.${counted.field}`;

/** `perHost` counters of each host. */
export interface Counters {
  readonly hosts: number;
  readonly perHost: number;
  /** NDJSON if absent. */
  readonly format?: LoadFormat;
}

/** The bodies of these counters, generated on demand. */
export function* counterBodies(
  { hosts, perHost, format }: Counters,
  steps: number,
): Generator<Buffer> {
  const random = new Random(walkSeed);
  const linesOf = formats[format ?? 'ndjson'];
  const counts = new Float64Array(hosts * perHost);
  const heads = Array.from(counts, (_, at) => {
    const host = labelsOf(Math.floor(at / perHost));
    return linesOf.counterHead(perHost === 1 ? host : { ...host, core: String(at % perHost) });
  });
  yield* bodiesOf({ heads, from: 0, steps }, ({ host, head, ts }) => {
    const count = nextOf('counter', counts[host] ?? 0, random);
    counts[host] = count;
    return linesOf.counter(head, ts, String(count));
  });
}

/** The fields of each walk at each point, one walk after the other. */
function fleetFields(points: number): readonly string[] {
  const random = new Random(walkSeed);
  const walks = Float64Array.from(
    { length: kFleetWalks * metrics.length },
    () => random.unit() * 100,
  );
  return Array.from({ length: kFleetWalks * points }, (_, at) =>
    fieldsOf(advance(walks, Math.floor(at / points), 'integer walk', random)),
  );
}

/** The label set of a host. */
export function labelsOf(host: number, share = 0): Record<string, string> {
  return {
    host: `host_${String(share)}_${String(host)}`,
    region: regions[host % regions.length] ?? regions[0],
    rack: String(host % 40),
  };
}

// The walks of the TSBS cpu load.
function advance(walks: Float64Array, host: number, kind: ValueKind, random: Random): string[] {
  const values: string[] = [];
  for (let metric = 0; metric < metrics.length; metric++) {
    const at = host * metrics.length + metric;
    const next = nextOf(kind, walks[at] ?? 0, random);
    walks[at] = next;
    values.push(textOf(kind, next));
  }
  return values;
}

function nextOf(kind: ValueKind, last: number, random: Random): number {
  if (kind === 'counter') return Math.trunc(last + Math.max(0, 1000 + 300 * normal(random)));
  if (kind === 'integer gauge') return Math.trunc(200 + 20 * normal(random));
  return Math.min(100, Math.max(0, last + normal(random)));
}

function textOf(kind: ValueKind, value: number): string {
  if (kind === 'integer walk') return String(Math.trunc(value));
  return String(kind === '2-decimal walk' ? Math.round(value * 100) / 100 : value);
}

// A normal number from two uniform ones by the Box–Muller method.
function normal(random: Random): number {
  const radius = Math.sqrt(-2 * Math.log(1 - random.unit()));
  return radius * Math.cos(2 * Math.PI * random.unit());
}

interface LineFormat {
  /** The common part of a host's lines, from its labels. */
  readonly head: (labels: Readonly<Record<string, string>>) => string;
  readonly tenFields: (head: string, ts: string, values: readonly string[]) => string;
  readonly oneField: (head: string, ts: string, values: readonly string[]) => string;
  readonly counterHead: (labels: Readonly<Record<string, string>>) => string;
  readonly counter: (head: string, ts: string, count: string) => string;
}

const formats: Readonly<Record<LoadFormat, LineFormat>> = {
  ndjson: {
    head: (labels) => JSON.stringify(labels),
    tenFields: (labels, ts, values) =>
      `{"metric":"cpu","labels":${labels},"ts":${ts},"fields":{${fieldsOf(values)}}}\n`,
    oneField: (labels, ts, values) => {
      const lines = values.map((value, at) => {
        const name = `cpu.${metrics[at] ?? ''}`;
        return `{"metric":"${name}","labels":${labels},"ts":${ts},"value":${value}}\n`;
      });
      return lines.join('');
    },
    counterHead: (labels) =>
      `{"metric":"${counterName}","labels":${JSON.stringify(labels)},"value":`,
    counter: (head, ts, count) => `${head}${count},"ts":${ts}}\n`,
  },
  // In Telegraf's form: nanoseconds and sorted tags.
  'line protocol': {
    head: (labels) => `cpu,${tagsOf(labels)} `,
    tenFields: (head, ts, values) => {
      const fields = values.map((value, at) => `${metrics[at] ?? ''}=${value}`);
      return `${head}${fields.join(',')} ${ts}000000\n`;
    },
    oneField: (head, ts, values) => {
      const lines = values.map((value, at) => `${head}${metrics[at] ?? ''}=${value} ${ts}000000\n`);
      return lines.join('');
    },
    counterHead: (labels) => `${counted.measurement},${tagsOf(labels)} `,
    counter: (head, ts, count) => `${head}${counted.field}=${count} ${ts}000000\n`,
  },
};

function tagsOf(labels: Readonly<Record<string, string>>): string {
  const tags = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  return tags.sort().join(',');
}

function fieldsOf(values: readonly string[]): string {
  return values.map((value, at) => `"${metrics[at] ?? ''}":${value}`).join(',');
}
