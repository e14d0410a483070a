/** All measurements as one table, with one column per database and one row per figure. */
import type { QuestionRow } from './questions.js';
import type { WriteRow } from './writes.js';

interface Figure {
  readonly name: string;
  readonly peer: string;
  readonly value: number;
  readonly unit: 'ms' | '/s' | 'M';
}

export function printTable(
  peers: readonly string[],
  writes: readonly WriteRow[],
  questions: readonly QuestionRow[],
): void {
  const figures = [...writes.map(ofWrite), ...questions.flatMap(ofQuestion)];
  const names = [...new Set(figures.map(({ name }) => name))].sort(byQuestion(questions));
  const rows = names.map((name) => [name, ...peers.map((peer) => cell(figures, name, peer))]);
  const all = [['', ...peers], ...rows];
  const widths = (all[0] ?? []).map((_, at) => Math.max(...all.map((row) => row[at]?.length ?? 0)));
  console.log('\n  in brackets: how many times as good seriesdb is; below 1 another leads');
  for (const row of all) {
    console.log(`  ${row.map((text, at) => padded(text, at, widths[at] ?? 0)).join('  ')}`);
  }
}

const padded = (text: string, at: number, width: number): string =>
  at === 0 ? text.padEnd(width) : text.padStart(width);

function ofWrite({ work, peer, samplesPerCpuSecond }: WriteRow): Figure {
  const name = `${work}, samples per CPU second`;
  return { name, peer, value: samplesPerCpuSecond / 1e6, unit: 'M' };
}

function ofQuestion({ work, peer, p50Ms, p99Ms, cpuMs, perSecondOfEight }: QuestionRow): Figure[] {
  const times = { p50: p50Ms, p99: p99Ms, 'CPU a request': cpuMs };
  return [
    ...Object.entries(times).map(([name, value]) => ({
      ...{ name: `${work}, ${name}`, peer, value, unit: 'ms' as const },
    })),
    { name: `${work}, eight connections`, peer, value: perSecondOfEight, unit: '/s' },
  ];
}

function byQuestion(questions: readonly QuestionRow[]): (a: string, b: string) => number {
  const placeOf = (name: string): number =>
    questions.findIndex(({ work }) => name.startsWith(`${work}, `));
  return (a, b) => placeOf(a) - placeOf(b);
}

function cell(figures: readonly Figure[], name: string, peer: string): string {
  const of = (who: string): Figure | undefined =>
    figures.find((one) => one.name === name && one.peer === who);
  const found = of(peer);
  if (found === undefined) return '–';
  const { value, unit } = found;
  const own = of('seriesdb') ?? of('seriesdb, PromQL');
  const ratio = unit === 'ms' ? value / (own?.value ?? NaN) : (own?.value ?? NaN) / value;
  const digits = unit === '/s' ? 0 : 2;
  const behind = own === found ? '' : ` (${ratio.toFixed(ratio < 10 ? 1 : 0)})`;
  return `${value.toFixed(digits)} ${unit}${behind}`;
}
