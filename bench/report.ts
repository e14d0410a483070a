/** Reports measurements with machine and targets: a table for people, JSON for programs. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

export interface Measurement {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** The target: the least or the largest value. */
  readonly target?: { readonly least: number } | { readonly most: number };
  /** How the figure was measured, in a few words. */
  readonly note?: string;
}

/** True if there is no target or it is met. */
export function isMet({ value, target }: Measurement): boolean {
  if (target === undefined) return true;
  return 'least' in target ? value >= target.least : value <= target.most;
}

/** The median of the figures. */
export function median(figures: readonly number[]): number {
  const sorted = [...figures].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  const upper = sorted[half] ?? NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[half - 1] ?? NaN)) / 2;
}

/** The smallest figure that at least this share of the list does not exceed. */
export function percentile(figures: readonly number[], share: number): number {
  const sorted = [...figures].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? NaN;
}

export function printTable(measurements: readonly Measurement[]): void {
  const rows = measurements.map((one) => [
    one.name,
    `${formatFigure(one.value)} ${one.unit}`,
    targetText(one),
    one.target === undefined ? ' ' : isMet(one) ? '✓' : '✗',
    one.note ?? '',
  ]);
  const header = ['measured', 'figure', 'target', ' ', 'how'];
  const widths = header.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => (row[column] ?? '').length)),
  );
  const line = (row: readonly string[]): string => {
    const cells = row.map((cell, at) =>
      at === 1 || at === 2 ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0),
    );
    return `  ${cells.join('  ')}`.trimEnd();
  };
  console.log(`\n${line(header)}`);
  console.log(`  ${widths.map((width) => '─'.repeat(width)).join('  ')}`);
  for (const row of rows) console.log(line(row));
}

/** Writes the figures with machine and commit. Returns the file's path. */
export function writeResults(root: string, measurements: readonly Measurement[], mode: string) {
  const folder = path.join(root, 'bench', 'results');
  mkdirSync(folder, { recursive: true });
  const takenAt = new Date().toISOString();
  const result = {
    takenAt,
    mode,
    commit: gitText(root, ['rev-parse', 'HEAD']),
    isTreeClean: gitText(root, ['status', '--porcelain']) === '',
    machine: machine(),
    measurements: measurements.map((one) => ({ ...one, isMet: isMet(one) })),
  };
  const file = path.join(folder, `${takenAt.replace(/[:.]/g, '-')}.json`);
  writeFileSync(file, `${JSON.stringify(result, null, 2)}\n`);
  return file;
}

export function machine() {
  const cpus = os.cpus();
  return {
    cpu: cpus[0]?.model.trim() ?? 'unknown',
    cores: cpus.length,
    memoryGiB: Math.round(os.totalmem() / 2 ** 30),
    kernel: os.release(),
    node: process.version,
  };
}

function targetText({ target, unit }: Measurement): string {
  if (target === undefined) return '';
  const [sign, figure] = 'least' in target ? ['≥', target.least] : ['≤', target.most];
  return `${sign} ${formatFigure(figure)} ${unit}`;
}

function formatFigure(value: number): string {
  if (Math.abs(value) >= 1e6) return `${(value / 1e6).toFixed(2)} M`;
  if (Math.abs(value) >= 1e4) return `${(value / 1e3).toFixed(1)} K`;
  return value.toFixed(value < 10 ? 3 : 1);
}

function gitText(root: string, args: readonly string[]): string | null {
  const done = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  return done.status === 0 ? done.stdout.trim() : null;
}
