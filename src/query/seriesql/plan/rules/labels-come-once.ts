import type { Matcher } from '../../language/ast.js';
import type { Rule } from './rule.js';

/** Of INSERT: a label of its braces beside those before it. */
interface InsertedLabel {
  readonly label: Matcher;
  readonly before: ReadonlyMap<string, string>;
}

export const labelsComeOnce: Rule<InsertedLabel> = ({ label, before }) =>
  before.has(label.key)
    ? { span: label.span, message: `the label ${label.key} occurs twice` }
    : null;
