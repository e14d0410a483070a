/** Prints points as NDJSON lines and groups lines into batches of limited size. */

import { invalidArgument } from './client-error.js';
import { exactInteger } from './exact-json.js';

import type { Labels, Point } from './shapes.js';

/** One line without its newline. Throws `invalid_argument` for values that JSON cannot hold. */
export function printPoint(point: Point): string {
  const parts: string[] = [];
  if ('metric' in point) {
    parts.push(`"metric":${JSON.stringify(point.metric)}`);
    if (point.labels !== undefined) parts.push(`"labels":${printLabels(point.labels)}`);
    for (const key of ['kind', 'unit', 'description'] as const) {
      if (point[key] !== undefined) parts.push(`"${key}":${JSON.stringify(point[key])}`);
    }
  } else {
    parts.push(`"series":${JSON.stringify(point.series)}`);
    if (point.tags !== undefined) parts.push(`"tags":${printLabels(point.tags)}`);
  }
  const { ts } = point;
  parts.push(`"ts":${typeof ts === 'string' ? JSON.stringify(ts) : exactInteger(ts, 'ts')}`);
  if (point.value !== undefined) parts.push(`"value":${printDouble(point.value, 'value')}`);
  if (point.fields !== undefined) {
    const fields = Object.entries(point.fields);
    const printed = fields.map(([key, one]) => `${JSON.stringify(key)}:${printDouble(one, key)}`);
    parts.push(`"fields":{${printed.join(',')}}`);
  }
  return `{${parts.join(',')}}`;
}

function printLabels(labels: Labels): string {
  return JSON.stringify(labels);
}

/** JSON.stringify drops the sign of -0 and prints null for NaN and infinities. */
function printDouble(value: number, name: string): string {
  if (!Number.isFinite(value)) throw invalidArgument(`${name} must be a finite number`);
  return Object.is(value, -0) ? '-0' : String(value);
}

/** All of the points as one text. */
export function printPoints(points: Iterable<Point>): string {
  let text = '';
  for (const point of points) text += `${printPoint(point)}\n`;
  return text;
}

/** The lines of one request. */
interface PointBatch {
  readonly text: string;
  readonly lineCount: number;
  /** Lines in all batches before this one. */
  readonly linesBefore: number;
}

export type LineSource = Iterable<Point | string> | AsyncIterable<Point | string>;

/**
 * Cuts a source into texts of at most `sizeMax` UTF-16 units. A UTF-8 body is at most three times
 * as large. A longer line becomes a batch of its own. A string of the source is one line, with or
 * without its newline.
 */
export async function* batchesOf(source: LineSource, sizeMax: number): AsyncGenerator<PointBatch> {
  let lines: string[] = [];
  let size = 0;
  let linesBefore = 0;
  const take = (): PointBatch => {
    const batch = { text: lines.join(''), lineCount: lines.length, linesBefore };
    linesBefore += lines.length;
    lines = [];
    size = 0;
    return batch;
  };
  for await (const one of source) {
    const line = asLine(one);
    if (lines.length > 0 && size + line.length > sizeMax) yield take();
    lines.push(line);
    size += line.length;
  }
  if (lines.length > 0) yield take();
}

function asLine(one: Point | string): string {
  if (typeof one !== 'string') return `${printPoint(one)}\n`;
  const line = one.endsWith('\n') ? one.slice(0, -1) : one;
  if (line.includes('\n')) throw invalidArgument('a string must be one line');
  return `${line}\n`;
}
