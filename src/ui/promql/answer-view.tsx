/** The result of an expression: its series, chart and messages of the server. */

import { useMemo } from 'preact/hooks';

import { printMs } from '../ask/plan-view.js';
import { LinesChart } from '../ask/result-chart.js';
import { ResultFrame } from '../ask/result-frame.js';
import { ResultTable } from '../ask/result-table.js';
import { printCount } from '../units.js';
import { clock, epochText } from '../view.js';
import { FaultNotice } from '../widgets/fault-notice.js';
import { countedAnswer, linesOf } from './answer.js';
import { LastSample } from './last-sample.js';
import { stepMs } from './question.js';

import type { RanPromql } from './run.js';

interface PromqlViewOptions {
  readonly result: RanPromql;
  /** True if the next answer is pending or failed. */
  readonly isStale: boolean;
}

export function AnswerView({ result, isStale }: PromqlViewOptions) {
  const { warnings, infos, question } = result;
  return (
    <ResultFrame
      views={[
        { id: 'table', title: 'Table', show: () => <Rows result={result} /> },
        { id: 'chart', title: 'Chart', show: () => <Lines result={result} /> },
      ]}
      summary={summaryOf(result)}
      usual={question.range === null ? 'table' : 'chart'}
      isStale={isStale}
    >
      {result.table.rows.length > 0 ? null : (
        <LastSample key={JSON.stringify(question)} question={question} />
      )}
      {warnings.map((text) => (
        <FaultNotice key={text} text={text} role="status" />
      ))}
      {infos.map((text) => (
        <p key={text} class="notice" role="status">
          {text}
        </p>
      ))}
    </ResultFrame>
  );
}

function Rows({ result }: { readonly result: RanPromql }) {
  const { table, question } = result;
  if (table.rows.length === 0) {
    const when = question.range === null ? 'at this time' : 'in this time range';
    return <p class="nothing">No series has a value {when}.</p>;
  }
  return <ResultTable result={{ ...table, stats: {} }} name="Series" />;
}

function Lines({ result }: { readonly result: RanPromql }) {
  const { series, question } = result;
  const { unit } = clock.value;
  const found = useMemo(() => drawing(result), [result, unit]);
  return series.length === 0 && question.range === null ? (
    <p class="nothing">A chart needs a range: choose Range above, or end in one as [1h].</p>
  ) : (
    <LinesChart found={found} />
  );
}

/** Lines over the requested range, or a sentence that says why there are none. */
export function drawing({
  series,
  question: { endMs, range },
}: Pick<RanPromql, 'series' | 'question'>) {
  const { unit } = clock.value;
  const firsts = series.map(({ timesMs }) => timesMs[0] ?? endMs);
  const first = firsts.reduce((least, one) => Math.min(least, one), endMs);
  const stepSeconds = range === null ? null : stepMs(range.step) / 1000;
  return linesOf(series, { unit, endMs, startMs: range?.startMs ?? first, stepSeconds });
}

function summaryOf(result: RanPromql): string {
  const { points, question, tookMs } = result;
  const { endMs, range } = question;
  const times =
    range === null
      ? [`at ${epochText(endMs)}`]
      : [
          `${printCount(points)} points`,
          `every ${range.step}, ${epochText(range.startMs)} – ${epochText(endMs)}`,
        ];
  return [countedAnswer(result), ...times, printMs(tookMs)].join(' · ');
}
