/** Converts the rows of an answer into lines: one per numeric column and group. */

import { CommandFailure } from '../session/failure.js';

import type { DottedLine, DottedPoint } from '../charting/line.js';
import type { QueryColumn, QueryResult, QueryValue } from '../../client/client.js';

const numberTypes: ReadonlySet<string> = new Set(['integer', 'float', 'duration']);

interface LineRoles {
  readonly timeAt: number;
  readonly numbersAt: readonly number[];
  /** The columns whose values identify a line. */
  readonly groupsAt: readonly number[];
}

/** Throws CommandFailure if the answer has no times, or no numbers to draw. */
export function linesOf({ columns, rows }: QueryResult): readonly DottedLine[] {
  const { timeAt, numbersAt, groupsAt } = rolesOf(columns);
  const lines = new Map<string, { readonly name: string; readonly points: DottedPoint[] }>();
  for (const row of rows) {
    const time = row[timeAt];
    if (typeof time !== 'bigint' && typeof time !== 'number') continue;
    const group = groupsAt.map((at) => row[at] ?? null);
    for (const at of numbersAt) {
      const key = JSON.stringify([at, ...group.map(String)]);
      const name = nameOf(columns, { at, groupsAt, group, isOnly: numbersAt.length === 1 });
      const line = lines.get(key) ?? { name, points: [] };
      lines.set(key, line);
      line.points.push({ time: Number(time), value: numberOf(row[at]) });
    }
  }
  for (const { points } of lines.values()) points.sort((one, other) => one.time - other.time);
  return [...lines.values()];
}

function rolesOf(columns: readonly QueryColumn[]): LineRoles {
  const timeAt = columns.findIndex(({ type }) => type === 'timestamp');
  const places = [...columns.keys()].filter((at) => at !== timeAt);
  const isNumber = (at: number): boolean =>
    numberTypes.has(columns[at]?.type ?? '') && columns[at]?.name !== 'series_id';
  const numbersAt = places.filter(isNumber);
  if (timeAt < 0) {
    throw new CommandFailure(
      'a chart needs a column of times, such as time or time_bucket(1m, time); this answer has none',
    );
  }
  if (numbersAt.length === 0) {
    throw new CommandFailure('a chart needs a column of numbers beside the times, such as value');
  }
  const groupsAt = places.filter((at) => !isNumber(at) && columns[at]?.type !== 'timestamp');
  return { timeAt, numbersAt, groupsAt };
}

interface Naming {
  readonly at: number;
  readonly groupsAt: readonly number[];
  readonly group: readonly QueryValue[];
  readonly isOnly: boolean;
}

/** `host=a load`; omits the number's column if it is the only one and there are groups. */
function nameOf(columns: readonly QueryColumn[], { at, groupsAt, group, isOnly }: Naming): string {
  const number = columns[at]?.name ?? '';
  const parts = group.map((value, index) => {
    const head = columns[groupsAt[index] ?? -1]?.name ?? '';
    return `${head.replace(/^(?:tag|label)\./, '')}=${String(value ?? '-')}`;
  });
  return [...parts, ...(isOnly && parts.length > 0 ? [] : [number])].join(' ');
}

function numberOf(value: QueryValue | undefined): number | null {
  return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : null;
}
