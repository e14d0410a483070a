/** EXPLAIN: the plan of a statement as rows. Only ANALYZE runs the statement. */

import { oneBatch, type Execution, type ResultRow } from '../execute/execution.js';
import { roundedMs, type OperatorCounters } from '../execute/operators.js';

import { bytecodeOf } from './bytecode.js';
import { planLines, selectLines } from './print.js';

import type { ExplainPlan, OutputColumn, PlannedSelection, SelectPlan } from '../plan/plan.js';

const text = (name: string): OutputColumn => ({ name, type: 'string', nullable: false });
const integer = (name: string): OutputColumn => ({ name, type: 'integer', nullable: false });

/** Handles all modes. For `analyze`, it gives the plan without figures. */
export function explainStatement({ mode, statement }: ExplainPlan): Execution {
  switch (mode) {
    case 'plan':
    case 'analyze':
      return {
        columns: [text('plan')],
        rows: oneBatch(planLines(statement).map((line) => [line])),
      };
    case 'bytecode': {
      const columns = [integer('addr'), text('op'), text('args'), text('comment')];
      const rows = bytecodeOf(statement).map(({ op, args, comment }, at) => [
        ...[BigInt(at), op, args, comment],
      ]);
      return { columns, rows: oneBatch(rows) };
    }
    case 'tables_used': {
      const columns: readonly OutputColumn[] = [
        text('kind'),
        { ...text('name'), nullable: true },
        { ...integer('series_id'), nullable: true },
      ];
      const selection = statement.kind === 'insert' ? null : statement.selection;
      const rows =
        statement.kind === 'insert'
          ? [['metric', statement.name, null]]
          : selection === null
            ? []
            : tablesOf(selection);
      return { columns, rows: oneBatch(rows) };
    }
  }
}

function tablesOf({ target }: PlannedSelection): readonly ResultRow[] {
  switch (target.kind) {
    case 'all':
      return [['all', null, null]];
    case 'metric':
      return [['metric', target.name, null]];
    case 'family':
      return [['metric_family', `${target.prefix}*`, null]];
    case 'by_id':
      return target.ids.map((id) => ['series', null, id]);
  }
}

/**
 * The plan with the figures of each step. A step that an engine does within a later one has no
 * figures of its own. `rowsOut` is the number of rows that left the last step.
 */
export function analyzedRows(
  plan: SelectPlan,
  operators: OperatorCounters,
  rowsOut: number,
): Execution {
  const columns: readonly OutputColumn[] = [
    text('plan'),
    { ...integer('rows_out'), nullable: true },
    { name: 'elapsed_ms', type: 'float', nullable: true },
  ];
  const rows = selectLines(plan).map(({ operator, text }, at) => {
    const counter = operator === null ? undefined : operators.find(operator);
    const known = counter?.rowsOut ?? (at === 0 ? rowsOut : null);
    return [
      text,
      known === null ? null : BigInt(known),
      counter === undefined ? null : roundedMs(counter.elapsedMs),
    ];
  });
  return { columns, rows: oneBatch(rows) };
}
