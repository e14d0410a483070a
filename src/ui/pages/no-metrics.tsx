/** A database without anything in it: how the first sample comes in. */

import { curlOf } from '../data/curl.js';
import { AnswerView } from '../widgets/answer-view.js';
import { Copyable } from '../widgets/copyable.js';
import { clock } from '../view.js';

import type { MetricIndex } from '../data/metrics.js';
import type { Answer } from '../data/answer.js';

/** Behind the seconds of `date`. */
const zeros = { s: '', ms: '000', us: '000000', ns: '000000000' } as const;

export function NoMetrics({ answer }: { readonly answer: Answer<MetricIndex> }) {
  return (
    <div class="empty">
      <h1>No metrics yet</h1>
      <p>Nothing was ever written to this database. This line writes a first sample:</p>
      <Copyable name="Command that writes a sample" text={firstSample()} />
      <p class="quiet">The page looks again every few seconds, and shows the metric by itself.</p>
      <AnswerView answer={answer}>{() => null}</AnswerView>
    </div>
  );
}

function firstSample(): string {
  const now = `'"$(date +%s)${zeros[clock.value.unit]}"'`;
  const line = `{"metric":"cpu.load","ts":${now},"value":0.5,"labels":{"host":"a"}}`;
  return curlOf('ingest', `'${line}'`);
}
