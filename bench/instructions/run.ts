/**
 * `npm run bench:instructions`: counts the instructions of the core's hottest paths, which are the
 * same on a busy machine. The exit code is 1 if a path takes over five per cent more than
 * bench/instructions.json says. `--write` stores the counts there. `--only WORD` selects paths
 * whose name contains WORD. Debian: apt-get install valgrind.
 *
 * Each path runs twice with different numbers of rounds. The difference excludes one-time work.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { countOf, findCounter, type Counter } from './count.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const program = path.join(root, 'build/native/native_instructions');
const file = path.join(root, 'bench/instructions.json');
const mostRatio = 1.05;

interface Path {
  readonly path: string;
  readonly unit: string;
  readonly unitsPerRound: number;
  readonly rounds: number;
}

/** Counts depend on the tool, the compiler and the processor architecture. */
interface Counts {
  readonly counter: string;
  readonly compiler: string;
  readonly architecture: string;
  /** Instructions per line, sample, row or query. */
  readonly counts: Readonly<Record<string, number>>;
}

const { values: flags } = parseArgs({
  options: {
    write: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
  },
});
process.exitCode = run();

function run(): number {
  const counter = findCounter();
  if (counter === null) {
    console.error('neither valgrind nor perf counts instructions here');
    return 2;
  }
  const [{ compiler }, ...paths] = listed();
  const here = { counter: counter.name, compiler, architecture: process.arch };
  console.log(`  ${Object.values(here).join(', ')}`);
  const written = JSON.parse(readFileSync(file, 'utf8')) as Counts;
  const isAlike = Object.entries(here).every(([key, value]) => Reflect.get(written, key) === value);
  const known = isAlike ? written.counts : {};
  const chosen = paths.filter((one) => one.path.includes(flags.only));
  const counts = countAll(counter, chosen, known);
  if (flags.write) return write({ ...here, counts: { ...known, ...counts } });
  return isAlike ? judge(counts, known) : refuse(written);
}

function countAll(
  counter: Counter,
  paths: readonly Path[],
  known: Counts['counts'],
): Counts['counts'] {
  const counts: Record<string, number> = {};
  for (const one of paths) {
    const count = countOfUnit(one, (rounds) => countOf(counter, [program, one.path, rounds]));
    counts[one.path] = count;
    console.log(`  ${rowOf(one, count, known[one.path])}`);
  }
  return counts;
}

function judge(counts: Counts['counts'], known: Counts['counts']): number {
  const grown = Object.entries(counts).filter(([name, count]) => !isMet(count, known[name]));
  for (const [name] of grown) console.error(`${name}: more by over five hundredths`);
  return grown.length === 0 ? 0 : 1;
}

/** The program's own list: its compiler and its paths. */
function listed(): [{ readonly compiler: string }, ...Path[]] {
  const { stdout } = spawnSync(program, { encoding: 'utf8' });
  return JSON.parse(`[${stdout.trim().replaceAll('\n', ',')}]`) as ReturnType<typeof listed>;
}

function countOfUnit(one: Path, countFor: (rounds: string) => number | null): number {
  const early = Math.ceil(one.rounds / 10);
  const [before = 0, after = 0] = [early, early + one.rounds].map(
    (rounds) => countFor(String(rounds)) ?? NaN,
  );
  return Number(((after - before) / one.rounds / one.unitsPerRound).toPrecision(4));
}

/** A path without a recorded count does not fail. */
function isMet(count: number, known: number | undefined): boolean {
  return known === undefined || count <= known * mostRatio;
}

function rowOf(one: Path, count: number, known: number | undefined): string {
  const ratio = known === undefined ? 'new' : `${(count / known).toFixed(3)} ×`;
  const mark = isMet(count, known) ? '✓' : '✗';
  const figure = count.toLocaleString('en').padStart(9);
  return `${one.path.padEnd(40)} ${figure} a ${one.unit.padEnd(7)} ${ratio.padStart(8)} ${mark}`;
}

function write(counted: Counts): number {
  writeFileSync(file, `${JSON.stringify(counted, null, 2)}\n`);
  console.log(`Written to ${file}`);
  return 0;
}

function refuse({ counter, compiler: built, architecture }: Counts): number {
  console.error(`${file} is of ${counter}, ${built}, ${architecture}; --write makes it this one's`);
  return 2;
}
