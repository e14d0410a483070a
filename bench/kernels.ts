/**
 * Runs the C++ benchmarks of the codecs, the parser and the hash, bench/native_NAME.cc, which `npm
 * run bench` has just built. They print JSON lines. The figures listed here become rows of the
 * table.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';

import type { Measurement } from './report.js';

/** A figure: its key in a line, its title in the table, its unit, and a conversion factor. */
const figures = [
  { key: 'million_lines_per_s', title: 'parsed', unit: 'lines/s', factor: 1e6 },
  { key: 'encode_msamples_per_s', title: 'encoded', unit: '/s', factor: 1e6 },
  { key: 'decode_msamples_per_s', title: 'decoded', unit: '/s', factor: 1e6 },
  { key: 'hashed_mb_per_s', title: 'hashed', unit: 'MB/s', factor: 1 },
  { key: 'bytes_per_sample', title: 'size', unit: 'B/sample', factor: 1 },
] as const;

const timeoutMs = 120_000;

export function measureKernels(root: string): Measurement[] {
  const sources = readdirSync(path.join(root, 'bench')).filter((name) =>
    /^native_\w+\.cc$/.test(name),
  );
  return sources.flatMap((source) => {
    const program = path.join(root, 'build/native', source.replace(/\.cc$/, ''));
    const { stdout, status } = spawnSync(program, { encoding: 'utf8', timeout: timeoutMs });
    if (status !== 0) throw new Error(`${program} ended with ${String(status)}`);
    return stdout.split('\n').flatMap((line) => (line === '' ? [] : measurementsOf(line)));
  });
}

function measurementsOf(line: string): Measurement[] {
  const row = JSON.parse(line) as Record<string, unknown>;
  const name = [row['row'] ?? row['case'], row['order']].filter(isText).join(', ');
  const settings = Object.entries(row)
    .filter(([key]) => !figures.some((one) => one.key === key) && !isNameOrRate(key))
    .map(([key, value]) => `${key.replaceAll('_', ' ')} ${String(value)}`);
  return figures.flatMap(({ key, title, unit, factor }) => {
    const value = row[key];
    if (typeof value !== 'number') return [];
    return [
      { name: `kernel, ${name}, ${title}`, value: value * factor, unit, note: settings.join(', ') },
    ];
  });
}

function isNameOrRate(key: string): boolean {
  return ['row', 'case', 'order', 'bench'].includes(key) || key.endsWith('_per_s');
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
