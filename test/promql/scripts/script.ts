/** Parses Prometheus' test scripts: loads, queries, expectations. */

export interface LoadStep {
  readonly kind: 'load';
  readonly stepMs: number;
  /** True if classic histograms are also loaded as native ones. */
  readonly hasNative: boolean;
  readonly lines: readonly string[];
}

export interface EvalStep {
  readonly kind: 'eval';
  readonly line: number;
  readonly expression: string;
  /** Null: an instant query at `start`. */
  readonly stepMs: number | null;
  readonly start: number;
  readonly end: number;
  readonly fails: boolean;
  readonly isOrdered: boolean;
  readonly warns: boolean;
  readonly informs: boolean;
  /** Said to be looked at, either way; else a case that says nothing of it has none. */
  readonly failMessage: string | null;
  readonly expected: readonly string[];
}

export type ScriptStep = { readonly kind: 'clear' } | LoadStep | EvalStep;

const unitMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
  y: 31_536_000_000,
};

export function durationMs(text: string): number {
  if (/^-?[\d.]+$/.test(text)) return Number(text) * 1000;
  let ms = 0;
  for (const [, count, unit] of text.matchAll(/(\d+)(ms|[smhdwy])/g)) {
    ms += Number(count) * (unitMs[unit ?? ''] ?? NaN);
  }
  return ms;
}

export function readScript(text: string): readonly ScriptStep[] {
  const lines = text.split('\n');
  const steps: ScriptStep[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = (lines[at] ?? '').trim();
    if (line === '' || line.startsWith('#')) continue;
    const block: string[] = [];
    const first = at;
    while (line !== 'clear' && isOfBlock(lines[at + 1])) {
      at += 1;
      const part = (lines[at] ?? '').trim();
      if (!part.startsWith('#')) block.push(part);
    }
    steps.push(stepOf(line, first + 1, block));
  }
  return steps;
}

/** A block ends with an empty line. */
function isOfBlock(line: string | undefined): boolean {
  return line !== undefined && line.trim() !== '';
}

const at = String.raw`instant\s+at\s+(\S+)`;
const between = String.raw`range\s+from\s+(\S+)\s+to\s+(\S+)\s+step\s+(\S+)`;
const evalLine = new RegExp(String.raw`^eval(_\w+)?\s+(?:${at}|${between})\s+(.*)$`);

function stepOf(line: string, number: number, block: readonly string[]): ScriptStep {
  if (line === 'clear') return { kind: 'clear' };
  const load = /^load(_with_nhcb)?\s+(\S+)$/.exec(line);
  if (load !== null) {
    return {
      ...{ kind: 'load', stepMs: durationMs(load[2] ?? ''), lines: block },
      hasNative: load[1] !== undefined,
    };
  }
  const asked = evalLine.exec(line);
  if (asked === null) throw new Error(`line ${number} is no command: ${line}`);
  const [, mode = '', time, from, to, step, expression = ''] = asked;
  const expects = block.filter((part) => part.startsWith('expect '));
  const says = (what: string): boolean => expects.some((part) => part.startsWith(`expect ${what}`));
  const failMessage = block
    .find((part) => part.startsWith('expected_fail_message '))
    ?.slice('expected_fail_message '.length);
  return {
    ...{ kind: 'eval', line: number, expression },
    stepMs: step === undefined ? null : durationMs(step),
    start: durationMs(time ?? from ?? ''),
    end: durationMs(time ?? to ?? ''),
    fails: mode === '_fail' || says('fail'),
    isOrdered: mode === '_ordered' || says('ordered'),
    warns: mode === '_warn' || says('warn'),
    informs: mode === '_info' || says('info'),
    failMessage: failMessage ?? null,
    expected: block.filter((part) => !part.startsWith('expect') && part !== ''),
  };
}

/** The path and parameters of the query. */
export function questionOf({
  expression,
  start,
  end,
  stepMs,
}: EvalStep): readonly [string, Readonly<Record<string, string>>] {
  if (stepMs === null) {
    return ['/api/v1/query', { query: expression, time: String(start / 1000) }];
  }
  const times = { start: String(start / 1000), end: String(end / 1000) };
  return ['/api/v1/query_range', { query: expression, ...times, step: String(stepMs / 1000) }];
}

const kAroundMs = 60_000;

/**
 * Turns an instant query into a range whose second of three steps is that instant, as Prometheus'
 * own tests do.
 */
export function aroundOf(step: EvalStep): EvalStep {
  const { start } = step;
  return { ...step, stepMs: kAroundMs, start: start - kAroundMs, end: start + kAroundMs };
}
