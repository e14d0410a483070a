import type { CheckedWhere, Rule } from './rule.js';

/** For statements over whole series or time ranges of series. */
export function onlyTimeAndLabels(statement: 'DELETE' | 'SHOW'): Rule<CheckedWhere> {
  return ({ extra }) => {
    if (extra === null) return null;
    const message = `${statement} takes conditions on time and labels only`;
    return { span: { start: extra, end: extra }, message };
  };
}
