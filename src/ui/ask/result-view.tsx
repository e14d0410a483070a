/** The result of a statement: rows, chart, plan and statistics. */

import { useEffect, useState } from 'preact/hooks';

import { printCount, printValue } from '../units.js';
import { Icon } from '../widgets/icons.js';
import { counted } from './counted.js';
import { planOf } from './plan-lines.js';
import { Explained, PlanTree, printMs } from './plan-view.js';
import { ResultFrame, type View } from './result-frame.js';
import { ResultTable } from './result-table.js';
import { rowsMax, type RanStatement } from './run.js';
import { plainStatement, statementOf } from './statement.js';

import type { ComponentType } from 'preact';
import type { QueryResult } from '../../client/client.js';

function viewsOf(result: RanStatement): readonly [View, ...View[]] {
  const stats = { id: 'stats', title: 'Stats', show: () => <Figures stats={result.stats} /> };
  const steps = planOf(result);
  if (steps !== null) {
    const { text } = result.sent;
    const statement = plainStatement(text, statementOf(text));
    return [
      { id: 'plan', title: 'Plan', show: () => <PlanTree steps={steps} /> },
      {
        ...{ id: 'bytecode', title: 'Bytecode' },
        show: () => <Explained {...{ statement }} how="bytecode" />,
      },
      {
        ...{ id: 'tables', title: 'Tables used' },
        show: () => <Explained {...{ statement }} how="tables_used" />,
      },
      stats,
    ];
  }
  return [
    { id: 'table', title: 'Table', show: () => <Rows result={result} /> },
    { id: 'chart', title: 'Chart', show: () => <Chart result={result} /> },
    stats,
  ];
}

interface ResultViewOptions {
  readonly result: RanStatement;
  /** True if the next answer is pending or failed. */
  readonly isStale: boolean;
  readonly onAll: () => void;
}

export function ResultView({ result, isStale, onAll }: ResultViewOptions) {
  const summary = summaryOf(result).join(' · ');
  return (
    <ResultFrame views={viewsOf(result)} {...{ summary, isStale }}>
      {warningsIn(result).map((text) => (
        <p key={text} class="notice bad" role="status">
          <Icon name="warning" />
          {text}
        </p>
      ))}
      {result.isCut ? (
        <p class="notice">
          These are the first {printCount(rowsMax)} rows; reading has ended.
          <button type="button" class="button" onClick={onAll}>
            All as CSV
          </button>
        </p>
      ) : null}
      {result.written === result.sent.text ? null : (
        <details class="sent">
          <summary>As sent</summary>
          <pre tabIndex={0}>{result.sent.text}</pre>
        </details>
      )}
    </ResultFrame>
  );
}

function Rows({ result }: { readonly result: RanStatement }) {
  if (result.rows.length === 0) {
    return <p class="nothing">No rows match the statement.</p>;
  }
  return <ResultTable result={result} name="Rows" />;
}

type ResultDrawing = ComponentType<{ readonly result: QueryResult }>;

/** Loads the chart code when the view is opened. */
function Chart({ result }: { readonly result: QueryResult }) {
  const [Loaded, setLoaded] = useState<ResultDrawing | null>(null);
  useEffect(() => {
    const load = async (): Promise<void> => {
      const { ResultChart } = await import('./result-chart.js');
      setLoaded(() => ResultChart);
    };
    void load();
  }, []);
  return Loaded === null ? null : <Loaded result={result} />;
}

function warningsIn({ stats }: RanStatement): readonly string[] {
  const told = stats['warnings'];
  return Array.isArray(told) ? told.map(String) : [];
}

const numberIn = (stats: QueryResult['stats'], name: string): number => Number(stats[name] ?? 0);

function summaryOf(result: RanStatement): readonly string[] {
  const { stats, tookMs } = result;
  const count = countText(result);
  if (Object.keys(stats).length === 0) return [count, `${printMs(tookMs)} in all`];
  const planning = ['parse_ms', 'validate_ms', 'plan_ms'].map((name) => numberIn(stats, name));
  const scanned = numberIn(stats, 'rows_scanned');
  const isSummed = scanned === 0 && numberIn(stats, 'chunks_skipped') > 0 && result.rows.length > 0;
  const mode = stats['execution_mode'];
  const engine = typeof mode === 'string' ? mode : '';
  return [
    count,
    `${printMs(planning.reduce((sum, one) => sum + one, 0))} parse and plan`,
    `${printMs(numberIn(stats, 'execute_ms'))} run`,
    isSummed
      ? 'answered from summaries'
      : `${counted(scanned, 'sample')} in ${printCount(numberIn(stats, 'series_scanned'))} series`,
    stats['legacy_fallback'] === true ? 'interpreted' : engine,
  ];
}

function countText(result: RanStatement): string {
  const { rows, isCut } = result;
  if (planOf(result) !== null) return 'Plan';
  const count = counted(rows.length, 'row');
  return isCut ? `First ${count}` : count;
}

const sentences: Readonly<Record<string, string>> = {
  parse_ms: 'Parse the text',
  validate_ms: 'Resolve names, types and constants',
  plan_ms: 'Choose engine and series',
  execute_ms: 'Run to the last row',
  rows_emitted: 'Rows answered',
  rows_scanned: 'Samples read',
  series_scanned: 'Series read',
  chunks_scanned: 'Chunks read',
  chunks_skipped: 'Chunks skipped by their summaries',
  bytes_read: 'Bytes read',
  execution_mode: 'Engine',
  legacy_fallback: 'Ran the slower way, uncompiled',
  fallback_reason: 'Because of',
  selector_mode: 'How series were named',
  selected_series_count: 'Series selected',
};

function Figures({ stats }: { readonly stats: QueryResult['stats'] }) {
  const rows = Object.entries(stats).filter(([, value]) => typeof value !== 'object');
  if (rows.length === 0) {
    return <p class="nothing">No statistics: the answer was not read to its end.</p>;
  }
  return (
    <dl class="facts stats">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt title={name}>{sentences[name] ?? name}</dt>
          <dd>{figureText(name, value)}</dd>
        </div>
      ))}
    </dl>
  );
}

function figureText(name: string, value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value !== 'number') return String(value).replaceAll('_', ' ');
  if (name === 'bytes_read') return printValue(value, 'bytes');
  return name.endsWith('_ms') ? printMs(value) : printCount(value);
}
