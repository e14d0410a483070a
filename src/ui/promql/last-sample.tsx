/** Why an expression has no value: its samples end before the times that were asked for. */

import { useAnswer } from '../data/answer.js';
import { ask } from '../data/server.js';
import { choose } from '../location.js';
import { zone } from '../preferences.js';
import { epochMs, perSecond, printIso } from '../zone.js';
import { clock, epochText } from '../view.js';
import { printSeconds } from '../units.js';
import { oneMetric, type OneMetric } from './one-metric.js';
import { questionOf, type PagePromqlQuestion } from './question.js';
import { run } from './run.js';

/** Of `promql_lookback_ms`, as it is by default: no route tells what the server has. */
const kLookbackMs = 300_000;
const kLookback = 'PromQL looks back 5 min by default.';
/** Before the last sample, where no range was asked for. */
const kShownMs = 3_600_000;

interface Last extends OneMetric {
  /** Of any series of the metric. */
  readonly ms: number;
}

/** Null: nothing can be said. */
async function lastOf(question: PagePromqlQuestion, signal: AbortSignal): Promise<Last | null> {
  const one = oneMetric(question.query);
  if (one === null) return null;
  const { metric } = one;
  const [found] = await ask((client) =>
    client.findMetrics({ prefix: metric, limit: 1 }, { signal }),
  );
  if (found?.metric !== metric || found.last_ts === null) return null;
  const { unit } = clock.value;
  // A query is asked in milliseconds, and sees no later sample.
  const size = perSecond(unit);
  const ms = Number((found.last_ts * 1000n + size - 1n) / size);
  const startMs = question.range?.startMs ?? question.endMs;
  const isKnown = epochMs(found.last_ts, unit) !== null;
  return isKnown && ms < startMs - kLookbackMs ? { ...one, ms } : null;
}

/** REQUIRES: a key, so that the last sample of one question is never told of the next. */
export function LastSample({ question }: { readonly question: PagePromqlQuestion }) {
  const { value } = useAnswer({
    question: (signal) => lastOf(question, signal),
    key: JSON.stringify(question),
    againAfterMs: () => null,
  });
  if (value === null) return null;
  const { metric, isWhole, ms } = value;
  const { endMs, range } = question;
  const before = printSeconds(Math.round(((range?.startMs ?? endMs) - ms) / 1000));
  const show = (): void => {
    const lengthMs = range === null ? kShownMs : endMs - range.startMs;
    const window = [ms - lengthMs, ms].map((at) => printIso(BigInt(at), 'ms')).join('..');
    const wish = { window, isRange: range !== null, step: range?.step ?? null };
    choose({ t: window });
    void run(question.query, questionOf(question.query, { ...wish, nowMs: ms, zone: zone.value }));
  };
  return (
    <p class="last-sample" role="status">
      The last sample of {isWhole ? '' : 'any series of '}
      <code>{metric}</code> is {before} older: {epochText(ms)}. {kLookback}{' '}
      <button type="button" class="button" onClick={show}>
        Show that time
      </button>
    </p>
  );
}
