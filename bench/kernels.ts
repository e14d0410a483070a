/**
 * Builds and runs the C++ benchmarks of the codecs, the parser and the hash, bench/native_NAME.cc,
 * on the core library in build/native, which `npm run bench` has just built. They print JSON lines;
 * the figures named below become rows of the table. What cannot be built is left out, and said.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

import type { Measurement } from './report.js';

/** What is taken from a line: its key, how the table calls it, its unit, and a factor to it. */
const figures = [
  { key: 'million_lines_per_s', title: 'parsed', unit: 'lines/s', factor: 1e6 },
  { key: 'encode_msamples_per_s', title: 'encoded', unit: '/s', factor: 1e6 },
  { key: 'decode_msamples_per_s', title: 'decoded', unit: '/s', factor: 1e6 },
  { key: 'hashed_mb_per_s', title: 'hashed', unit: 'MB/s', factor: 1 },
  { key: 'bytes_per_sample', title: 'size', unit: 'B/sample', factor: 1 },
] as const;

const timeoutMs = 120_000;

export function measureKernels(root: string): Measurement[] {
  const folder = path.join(root, 'build', 'native');
  // The second is what the first may need: which of its units does changes with every source.
  const libraries = ['libseriesdb_core.a', 'libseriesdb_zstd.a'].map((name) =>
    path.join(folder, name),
  );
  const names = readdirSync(path.join(root, 'bench')).filter((name) =>
    /^native_\w+\.cc$/.test(name),
  );
  return names.flatMap((source) => measureProgram(root, source, libraries));
}

function measureProgram(root: string, source: string, libraries: readonly string[]): Measurement[] {
  const program = path.join(root, 'build', 'native', source.replace(/\.cc$/, ''));
  const simdjson = createRequire(import.meta.url).resolve('@nozbe/simdjson/package.json');
  const includes = ['native', 'test/native', 'test/native/codec'].map((folder) => `-I${folder}`);
  const flags = ['-std=c++20', '-O3', '-fno-exceptions', '-fno-rtti', '-DSIMDJSON_EXCEPTIONS=0'];
  const simdjsonInclude = ['-isystem', path.join(path.dirname(simdjson), 'src')];
  const parts = [`bench/${source}`, ...libraries, '-pthread', '-o', program];
  const compiler = process.env['CXX'] ?? 'g++';
  const built = spawnSync(compiler, [...flags, ...includes, ...simdjsonInclude, ...parts], {
    cwd: root,
    encoding: 'utf8',
  });
  if (built.status !== 0) {
    console.log(`  bench/${source} could not be built; it is left out\n${built.stderr}`);
    return [];
  }
  const { stdout, status } = spawnSync(program, { encoding: 'utf8', timeout: timeoutMs });
  if (status !== 0) throw new Error(`${program} ended with ${String(status)}`);
  return stdout.split('\n').flatMap((line) => (line === '' ? [] : measurementsOf(line)));
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
