/** The plan of a statement: its steps, the addon's work and the rows read. */

import { useState } from 'preact/hooks';

import { useAnswer } from '../data/answer.js';
import { ask } from '../data/server.js';
import { printSeconds } from '../units.js';
import { AnswerView } from '../widgets/answer-view.js';
import { counted } from './counted.js';
import { ResultTable } from './result-table.js';

import type { QueryResult } from '../../client/client.js';
import type { PlanStep } from './plan-lines.js';

export function PlanTree({ steps }: { readonly steps: readonly PlanStep[] }) {
  const [active, setActive] = useState(0);
  const longest = Math.max(...steps.map(({ ms }) => ms ?? 0));
  return (
    <ul
      class="plan"
      role="tree"
      aria-label="Plan"
      onKeyDown={(event) => {
        const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (step === undefined) return;
        event.preventDefault();
        const next = Math.max(0, Math.min(active + step, steps.length - 1));
        setActive(next);
        (event.currentTarget.children[next] as HTMLElement).focus();
      }}
    >
      {steps.map((step, at) => (
        <Step
          key={at}
          {...{ step, longest }}
          isActive={at === active}
          onFocus={() => {
            setActive(at);
          }}
        />
      ))}
    </ul>
  );
}

interface PlanStepOptions {
  readonly step: PlanStep;
  readonly longest: number;
  readonly isActive: boolean;
  readonly onFocus: () => void;
}

/** The deepest level with an indent of its own; deeper steps share it. */
const kDeepest = 8;

function Step({ step, longest, isActive, onFocus }: PlanStepOptions) {
  const { text, level, rows, ms } = step;
  const [verb = '', ...more] = text.split(' ');
  return (
    <li
      role="treeitem"
      aria-level={level}
      class={`level-${Math.min(level, kDeepest)}`}
      tabIndex={isActive ? 0 : -1}
      onFocus={onFocus}
    >
      <span class="step">
        <strong>{verb}</strong> {more.join(' ')}
      </span>
      {ms === null ? (
        <span class="quiet figures">{longest > 0 ? 'counted with another step' : ''}</span>
      ) : (
        <span class="figures">
          {rows === null ? null : <span>{counted(rows, 'row')}</span>}
          <span class="ms">{printMs(ms)}</span>
          <meter aria-hidden="true" min={0} max={longest || 1} value={ms} />
        </span>
      )}
    </li>
  );
}

export function printMs(ms: number): string {
  return ms >= 1000 ? printSeconds(ms / 1000) : `${Number(ms.toPrecision(3))} ms`;
}

/** Further EXPLAIN output, requested when it is opened. */
export function Explained({
  statement,
  how,
}: {
  readonly statement: string;
  readonly how: string;
}) {
  const answer = useAnswer<QueryResult>({
    question: (signal) =>
      ask((client) => client.seriesql(`explain ${how} ${statement}`, { signal })),
    key: `${how} ${statement}`,
    againAfterMs: () => null,
  });
  return (
    <AnswerView answer={answer}>
      {(result) =>
        result.rows.length === 0 ? (
          <p class="nothing">There is none.</p>
        ) : (
          <ResultTable result={result} name={how.replace('_', ' ')} />
        )
      }
    </AnswerView>
  );
}
