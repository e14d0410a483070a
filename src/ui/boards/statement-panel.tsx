/** The answer of a statement on a board: a chart if it has times, otherwise its first rows. */

import { useMemo } from 'preact/hooks';

import { cellOf, digitsOf, isNumber } from '../ask/cells.js';
import { firstChoice, pictureOf } from '../ask/result-chart.js';
import { linesOf, type ResultLines } from '../ask/result-lines.js';
import { read } from '../ask/run.js';
import { isHarmless, statementOf } from '../ask/statement.js';
import { windowValues } from '../ask/window-values.js';
import { useAnswer } from '../data/answer.js';
import { withWindow } from '../editor/window-words.js';
import { drawing } from '../promql/answer-view.js';
import { questionOf } from '../promql/question.js';
import { asked } from '../promql/run.js';
import { valueIn, type PagePlace } from '../url.js';
import { clock, paceMs, windowText } from '../view.js';
import { AnswerView } from '../widgets/answer-view.js';
import { PanelChart } from './panel-chart.js';

import type { QueryColumn, QueryResult, QueryValue } from '../../client/client.js';

type PanelTable = Pick<QueryResult, 'columns' | 'rows'>;

interface ShownPanel {
  readonly table: PanelTable;
  /** Lines over time, or a sentence that says why there are none. */
  readonly lines: ResultLines | string;
}

/** The most rows that a panel shows. */
const kRowsMax = 20;

interface StatementPanelOptions {
  readonly title: string;
  /** The address of the statement's own page. */
  readonly alone: PagePlace;
}

export function StatementPanel({ title, alone }: StatementPanelOptions) {
  const text = valueIn(alone, 'q') ?? '';
  const language = valueIn(alone, 'lang');
  const [over, step] = [valueIn(alone, 'over'), valueIn(alone, 'step')];
  const { unit, zone } = clock.value;
  const pace = paceMs.value;
  const answer = useAnswer<ShownPanel>({
    question: (signal) =>
      language === null
        ? ofSeriesql(text, signal)
        : ofPromql(text, { isRange: over === 'range', step }, signal),
    key: JSON.stringify([text, language, over, step, windowText.value, unit, zone, pace]),
    againAfterMs: () => pace,
  });
  return (
    <AnswerView answer={answer} frame={<div class="chart-frame" />}>
      {(shown) => <Came {...{ title, shown }} />}
    </AnswerView>
  );
}

async function ofSeriesql(written: string, signal: AbortSignal): Promise<ShownPanel> {
  const values = windowValues(windowText.value, { ...clock.value, nowMs: Date.now() });
  const { text } = withWindow(written, values);
  const statement = statementOf(text);
  // Text that does not parse is sent as well: the server reports the error.
  if (statement !== null && !isHarmless(statement)) {
    throw new Error('A board runs statements that read only: SELECT and SHOW.');
  }
  const table = await read(text, signal);
  return { table, lines: linesOf(table) };
}

interface PromqlWish {
  readonly isRange: boolean;
  readonly step: string | null;
}

async function ofPromql(query: string, wish: PromqlWish, signal: AbortSignal): Promise<ShownPanel> {
  const moment = { window: windowText.value, nowMs: Date.now(), zone: clock.value.zone };
  const question = questionOf(query, { ...wish, ...moment });
  if (question === null) throw new Error('“All time” has no steps: choose a time range above.');
  const { series, table } = await asked(question, signal);
  return { table, lines: drawing({ series, question }) };
}

function Came({
  title,
  shown: { table, lines },
}: {
  readonly title: string;
  readonly shown: ShownPanel;
}) {
  const picture = useMemo(
    () => (typeof lines === 'string' ? null : pictureOf(lines, firstChoice)),
    [lines],
  );
  if (table.rows.length === 0) return <p class="nothing">No data in this time range.</p>;
  if (picture === null) return <FirstRows table={table} />;
  const isDuration = typeof lines !== 'string' && lines.areDurations;
  return (
    <PanelChart
      {...{ title, picture, window: picture.window, scale: null }}
      unit={isDuration ? clock.value.unit : ''}
    />
  );
}

const textOf = (value: QueryValue, column: QueryColumn, digits: number | null): string =>
  cellOf(value, column, { clock: clock.value, digits }).text;

function FirstRows({ table: { columns, rows } }: { readonly table: PanelTable }) {
  const rest = rows.length - kRowsMax;
  const digits = digitsOf(columns, rows);
  return (
    <div class="panel-rows" tabIndex={0} role="region" aria-label="Rows">
      <table>
        <thead>
          <tr>
            {columns.map((one, at) => (
              <th key={at} scope="col" class={isNumber(one) ? 'number' : undefined}>
                {one.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, kRowsMax).map((row, at) => (
            <tr key={at}>
              {columns.map((one, column) => (
                <td key={column} class={isNumber(one) ? 'number' : undefined}>
                  {textOf(row[column] ?? null, one, digits[column] ?? null)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rest > 0 ? <p class="quiet">and {rest} more rows</p> : null}
    </div>
  );
}
