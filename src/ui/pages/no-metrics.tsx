/** The page of an empty database: how to write the first sample. */

import { curlOf, shellNow } from '../data/curl.js';
import { AnswerView } from '../widgets/answer-view.js';
import { Copyable } from '../widgets/copyable.js';
import { clock } from '../view.js';
import { LoadLink } from './load-link.js';

import type { MetricIndex } from '../data/metrics.js';
import type { Answer } from '../data/answer.js';

export function NoMetrics({ answer }: { readonly answer: Answer<MetricIndex> }) {
  return (
    <div class="empty">
      <h1>No metrics yet</h1>
      <p>The database is empty. This command writes a first sample:</p>
      <Copyable name="Command that writes a sample" text={firstSample()} />
      <p>Or drop a CSV or NDJSON file on this page:</p>
      <p>
        <LoadLink />
      </p>
      <p class="quiet">The page checks every few seconds and then shows the metric.</p>
      <AnswerView answer={answer}>{() => null}</AnswerView>
    </div>
  );
}

function firstSample(): string {
  const now = shellNow(clock.value.unit);
  const line = `{"metric":"cpu.load","ts":${now},"value":0.5,"labels":{"host":"a"}}`;
  return curlOf('ingest', `'${line}'`);
}
