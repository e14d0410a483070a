/** Parses times, durations and limits as Prometheus does, with its error messages. */

import { AppError } from '../../../common/errors/app-error.js';
import { floorDivide, parseI64 } from '../../../common/model/integers.js';
import { parseIsoNanoseconds } from '../../../common/model/iso-time.js';
import {
  milliseconds,
  nanosecondsPerUnit,
  type Milliseconds,
} from '../../../common/model/timestamp-unit.js';
import { secondsOf } from '../../../query/promql/syntax/number-text.js';

const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;
/** Prometheus' notation of the minimum and the maximum time. */
const ends: ReadonlyMap<string, number> = new Map([
  ['-292273086-05-16T16:47:06Z', -Number.MAX_SAFE_INTEGER],
  ['292277025-08-18T07:12:54.999999999Z', Number.MAX_SAFE_INTEGER],
]);
const kNanosecondsMax = 2 ** 63;

/** Times beyond the range of a number become the nearest number. */
export function parseTimeMs(name: string, text: string): Milliseconds {
  const ms = ends.get(text) ?? (decimal.test(text) ? ofSeconds(Number(text)) : ofIso(text));
  if (ms === null) throw invalid(name, `cannot parse ${quoted(text)} to a valid timestamp`);
  return milliseconds(Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, ms)));
}

/** Like parseTimeMs() for an optional parameter. */
export function parseOptionalTimeMs(name: string, text = ''): Milliseconds | null {
  if (text === '') return null;
  try {
    return parseTimeMs(name, text);
  } catch (cause) {
    const why = `cannot parse ${quoted(text)} to a valid timestamp`;
    throw invalid(name, `invalid time value for '${name}': ${why}`, cause);
  }
}

/** Rounds the fraction, halves away from zero. Null if the time exceeds a number's range. */
function ofSeconds(seconds: number): number | null {
  if (!Number.isFinite(seconds)) return null;
  const whole = Math.trunc(seconds);
  const rest = seconds - whole;
  return whole * 1000 + Math.sign(rest) * Math.round(Math.abs(rest) * 1000);
}

function ofIso(text: string): number | null {
  const nanoseconds = rfc3339.test(text) ? parseIsoNanoseconds(text) : null;
  return nanoseconds === null ? null : Number(floorDivide(nanoseconds, nanosecondsPerUnit.ms));
}

/**
 * Parses seconds or a duration such as `1h30m` to whole milliseconds. Throws `invalid_parameter`.
 */
export function parseLengthMs(text: string, told: (why: string) => AppError): Milliseconds {
  if (!decimal.test(text)) {
    if (/^[+-]?inf$/i.test(text)) throw told(overflows(text));
    const seconds = /^\d/.test(text) ? secondsOf(text) : '';
    if (typeof seconds === 'string') throw told(unreadable(text));
    return milliseconds(Math.round(seconds * 1000));
  }
  const nanoseconds = Number(text) * 1e9;
  if (Math.abs(nanoseconds) >= kNanosecondsMax) throw told(overflows(text));
  return milliseconds(Math.trunc(Math.trunc(nanoseconds) / 1e6));
}

const unreadable = (text: string): string => `cannot parse ${quoted(text)} to a valid duration`;
const overflows = (text: string): string => `${unreadable(text)}. It overflows int64`;

/** The maximum number of results. Both 0 and an empty text mean all. */
export function parseLimit(text = ''): number {
  if (text === '') return 0;
  const limit = parseI64(text.replace(/^\+(?=\d)/, ''));
  const why = /^[+-]?\d+$/.test(text) ? 'value out of range' : 'invalid syntax';
  if (limit === null) throw invalid('limit', `strconv.Atoi: parsing ${quoted(text)}: ${why}`);
  if (limit < 0n) throw invalid('limit', 'limit must be non-negative');
  return Number(limit);
}

export function invalid(name: string, why: string, cause?: unknown): AppError {
  return new AppError('invalid_parameter', `invalid parameter "${name}": ${why}`, { cause });
}

function quoted(text: string): string {
  return JSON.stringify(text);
}
