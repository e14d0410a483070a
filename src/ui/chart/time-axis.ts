/** The marks of the time axis and their labels, in the zone's local time. */

import {
  epochMs,
  msOfLocal,
  offsetSeconds,
  perSecond,
  printOffset,
  printTime,
  tsOfMs,
  type PageClock,
} from '../zone.js';

export interface Mark {
  /** Ticks from the origin. */
  readonly x: number;
  readonly label: string;
  /** The day or year, in a second row, where it changes. */
  readonly below: string;
}

interface AxisSpan {
  readonly origin: bigint;
  /** Ticks from the origin. */
  readonly from: number;
  readonly to: number;
}

/** Mark steps, in seconds. */
const seconds = [
  ...[1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800],
  ...[3_600, 7_200, 10_800, 21_600, 43_200],
];
const kDay = 86_400;
const days = [1, 2, 7, 14];
const months = [1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1_200, 6_000];

/** About `count` marks: the first step that gives no more. */
export function timeMarks(span: AxisSpan, clock: PageClock, count: number): readonly Mark[] {
  const perTick = 1 / Number(perSecond(clock.unit));
  const least = ((span.to - span.from) * perTick) / Math.max(1, count);
  if (least < 0.5) return fineMarks(span, clock, least / perTick);
  const step = seconds.find((one) => one >= least);
  if (step !== undefined) return clockMarks(span, clock, step);
  const dayStep = days.find((one) => one * kDay >= least);
  if (dayStep !== undefined) return dayMarks(span, clock, dayStep);
  const monthStep = months.find((one) => one * 30.4 * kDay >= least) ?? 12_000;
  return monthMarks(span, clock, monthStep);
}

/** Below a second, zones do not matter and ticks are exact. */
function fineMarks(
  { origin, from, to }: AxisSpan,
  clock: PageClock,
  leastTicks: number,
): readonly Mark[] {
  const decade = 10 ** Math.floor(Math.log10(Math.max(1, leastTicks)));
  const step = Math.max(
    1,
    [1, 2, 5, 10].map((one) => one * decade).find((one) => one >= leastTicks) ?? 1,
  );
  const over = Number(((origin % BigInt(step)) + BigInt(step)) % BigInt(step));
  const digits = Math.max(
    0,
    String(perSecond(clock.unit)).length - 1 - Math.floor(Math.log10(step)),
  );
  const found: Mark[] = [];
  for (let x = Math.ceil((from + over) / step) * step - over; x <= to; x += step) {
    const [date = '', time = ''] = printTime(origin + BigInt(x), clock).split(' ');
    const [whole = '', fraction = ''] = time.split('.');
    const shown = digits === 0 ? '' : `.${fraction.padEnd(9, '0').slice(0, digits)}`;
    found.push({ x, label: whole + shown, below: date });
  }
  return withoutRepeats(found);
}

interface Ends {
  readonly fromMs: number;
  readonly toMs: number;
  readonly xOf: (ms: number) => number;
}

/** Null if a date cannot represent the time. */
function endsOf({ origin, from, to }: AxisSpan, { unit }: PageClock): Ends | null {
  const fromMs = epochMs(origin + BigInt(Math.floor(from)), unit);
  const toMs = epochMs(origin + BigInt(Math.ceil(to)), unit);
  if (fromMs === null || toMs === null) return null;
  return { fromMs, toMs, xOf: (ms) => Number(tsOfMs(ms, unit) - origin) };
}

function clockMarks(span: AxisSpan, clock: PageClock, step: number): readonly Mark[] {
  const ends = endsOf(span, clock);
  if (ends === null) return [];
  // Local time expressed as UTC: 06:00 stays 06:00 when daylight saving time starts or ends.
  const wallOf = (ms: number): number => ms + offsetSeconds(ms, clock.zone) * 1000;
  const stepMs = step * 1000;
  // If clocks go back, they show an hour twice.
  const backMs = Math.max(0, wallOf(ends.fromMs) - ends.fromMs - (wallOf(ends.toMs) - ends.toMs));
  const first = Math.floor((wallOf(ends.fromMs) - backMs) / stepMs) * stepMs;
  const found = new Set<number>();
  for (let wall = first; ; wall += stepMs) {
    const [ms = wall, again = ms] = momentsOf(wall, clock.zone);
    if (ms > ends.toMs) break;
    for (const one of [ms, again]) if (one >= ends.fromMs && one <= ends.toMs) found.add(one);
  }
  const moments = [...found].sort((one, two) => one - two);
  const marks = moments.map((ms) => {
    const [date = '', time = ''] = new Date(wallOf(ms)).toISOString().split('T');
    return { x: ends.xOf(ms), label: time.slice(0, step < 60 ? 8 : 5), below: dayText(date) };
  });
  const offsets = moments.map((ms) => offsetSeconds(ms, clock.zone));
  return withOffsets(withoutRepeats(marks), offsets);
}

/** If the UTC offset changes, the marks beside the change show both offsets. */
function withOffsets(marks: readonly Mark[], offsets: readonly number[]): readonly Mark[] {
  return marks.map((mark, at) => {
    const offset = offsets[at] ?? 0;
    const isBeside = [offsets[at - 1], offsets[at + 1]].some(
      (other) => other !== undefined && other !== offset,
    );
    if (!isBeside) return mark;
    return { ...mark, below: `${mark.below} ${printOffset(offset)}`.trim() };
  });
}

/**
 * The moments of a local time: two if clocks go back. If clocks skip it, the moment after the gap.
 */
function momentsOf(wall: number, zone: string): readonly number[] {
  const first = momentOf(wall, zone);
  const later = offsetSeconds(wall + kDay * 1000, zone);
  const again = wall - later * 1000;
  const isAgain = again > first && offsetSeconds(again, zone) === later;
  return isAgain ? [first, again] : [first];
}

function momentOf(wall: number, zone: string): number {
  const there = new Date(wall);
  const [year, month, day] = [there.getUTCFullYear(), there.getUTCMonth() + 1, there.getUTCDate()];
  const [hour, minute, second] = [
    there.getUTCHours(),
    there.getUTCMinutes(),
    there.getUTCSeconds(),
  ];
  return msOfLocal({ year, month, day, hour, minute, second }, zone);
}

const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const monthNames = [
  'Jan',
  'Feb',
  'Mar',
  'Apr',
  'May',
  'Jun',
  'Jul',
  'Aug',
  'Sep',
  'Oct',
  'Nov',
  'Dec',
];

/** `Sat 21 Nov` */
function dayText(date: string): string {
  const day = new Date(`${date}T00:00:00Z`);
  return `${weekdays[day.getUTCDay()] ?? ''} ${day.getUTCDate()} ${monthNames[day.getUTCMonth()] ?? ''}`;
}

function dayMarks(span: AxisSpan, clock: PageClock, step: number): readonly Mark[] {
  const ends = endsOf(span, clock);
  if (ends === null) return [];
  const offsetMs = offsetSeconds(ends.fromMs, clock.zone) * 1000;
  // Days since a Monday, so that steps of 7 and 14 days start on one.
  const first = Math.floor((ends.fromMs + offsetMs) / (kDay * 1000)) + 3;
  const found: Mark[] = [];
  for (let day = Math.floor(first / step) * step; ; day += step) {
    const wall = (day - 3) * kDay * 1000;
    const ms = momentOf(wall, clock.zone);
    if (ms > ends.toMs) break;
    if (ms < ends.fromMs) continue;
    const there = new Date(wall);
    const name = monthNames[there.getUTCMonth()] ?? '';
    const label = `${there.getUTCDate()} ${name}`;
    found.push({ x: ends.xOf(ms), label, below: String(there.getUTCFullYear()) });
  }
  return withoutRepeats(found);
}

function monthMarks(span: AxisSpan, clock: PageClock, step: number): readonly Mark[] {
  const ends = endsOf(span, clock);
  if (ends === null) return [];
  const from = new Date(ends.fromMs);
  const first = from.getUTCFullYear() * 12 + from.getUTCMonth();
  const found: Mark[] = [];
  for (let month = Math.floor(first / step) * step; ; month += step) {
    const [year, at] = [Math.floor(month / 12), month % 12];
    const ms = msOfLocal({ year, month: at + 1, day: 1 }, clock.zone);
    if (!(ms <= ends.toMs)) break;
    if (ms < ends.fromMs) continue;
    const label = step >= 12 ? String(year) : (monthNames[at] ?? '');
    found.push({ x: ends.xOf(ms), label, below: step >= 12 ? '' : String(year) });
  }
  return withoutRepeats(found);
}

/** Shows the second row only where it changes, and on the first mark if there is room. */
function withoutRepeats(marks: readonly Mark[]): readonly Mark[] {
  return marks.map((mark, at) => {
    const [before, next] = [marks[at - 1], marks[at + 1]];
    const isSaid = before?.below === mark.below;
    const isCrowded = at === 0 && next !== undefined && next.below !== mark.below;
    return isSaid || isCrowded ? { ...mark, below: '' } : mark;
  });
}
