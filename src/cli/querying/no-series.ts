/** Explains why a PromQL expression has no series: its samples may be too old. */

import { fallbackOf } from '../../config/settings.js';
import { printDuration } from '../../common/model/duration.js';
import { printTime } from '../../common/model/iso-time.js';
import { fromMilliseconds } from '../../common/model/timestamp-unit.js';

import type { PromqlTimes } from '../../client/client.js';
import type { TimedContext } from '../session/client-context.js';

/** The default, since no route reports the server's setting. */
const kLookbackMs = fallbackOf('promql_lookback_ms');
const kLookback = `PromQL looks back ${printDuration(kLookbackMs)} by default`;

/** One metric with any matchers. In a longer expression, the missing part is unknown. */
const oneMetric = /^\s*(?:([A-Za-z_:][\w:]*)\s*(?:\{[^{}]*\})?|\{\s*"([^"\\]+)"[^{}]*\})\s*$/;

export async function whyNoSeries(
  { client, signal, unit }: TimedContext,
  { text, times }: { readonly text: string; readonly times: PromqlTimes },
): Promise<string> {
  const found = oneMetric.exec(text);
  const name = found?.[1] ?? found?.[2];
  if (name === undefined) return 'no series';
  const metrics = await client.findMetrics({ prefix: name, limit: 1 }, { signal });
  const last = metrics.find(({ metric }) => metric === name)?.last_ts ?? null;
  const first = 'start' in times ? times.start : times.time;
  const startMs = first === undefined ? Date.now() : Math.floor(Number(first) * 1000);
  if (last === null || last >= fromMilliseconds(BigInt(startMs - kLookbackMs), unit)) {
    return 'no series';
  }
  const when = printTime(last, unit) || String(last);
  return `no series: the last sample of ${name} is at ${when}; ${kLookback}`;
}
