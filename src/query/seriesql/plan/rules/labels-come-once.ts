import type { Matcher } from '../../language/ast.js';
import type { Rule } from './rule.js';

/** A label in the braces of an INSERT, and the labels before it. */
interface InsertedLabel {
  readonly label: Matcher;
  readonly before: ReadonlyMap<string, string>;
}

export const labelsComeOnce: Rule<InsertedLabel> = ({ label, before }) =>
  before.has(label.key)
    ? { span: label.span, message: `the label ${label.key} occurs twice` }
    : null;
