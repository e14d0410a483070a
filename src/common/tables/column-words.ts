/** Sentences that explain the chosen columns. */

import { shortened } from './table-fault.js';

import type { Mapping } from './row-lines.js';

export function valueWords(
  { valueColumns, metric, metricColumn }: Mapping,
  units: ReadonlyMap<string, string>,
): string {
  const target = metricColumn === null ? `metric ${metric ?? ''}` : `metric in ${metricColumn}`;
  const shown = valueColumns.map((name) => {
    const unit = units.get(name);
    return unit === undefined ? name : `${name} (without "${unit}")`;
  });
  const [only = '', ...more] = shown;
  if (more.length === 0) return `${only} → ${target}`;
  const names = metricColumn === null ? `metrics ${metric ?? ''}.*` : `${target}.*`;
  return `${briefly(shown)} → ${names}`;
}

export function listed(title: string, names: readonly string[]): readonly string[] {
  return names.length === 0 ? [] : [`${title} ${briefly(names)}`];
}

/** The most names in a line about a guess. */
const namesMax = 12;

function briefly(names: readonly string[]): string {
  const more = names.length - namesMax;
  const shown = names.slice(0, namesMax).map(shortened).join(', ');
  return more > 0 ? `${shown} and ${more} more` : shown;
}

export function pairText([key, value]: readonly [string, string]): string {
  return `${key}=${value}`;
}
