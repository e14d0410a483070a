// What the packages of the editor take from @codemirror/language and @lezer/common, in their place,
// since no grammar of theirs is used: statements are read by the language's own lexer, and a syntax
// tree would have nothing in it. See docs/decisions/0079.
import { Facet } from '@codemirror/state';

/** Of nodes, of which the only one has none. */
export const NodeProp = { closedBy: 'closedBy', openedBy: 'openedBy' };

/** The whole text is one node. */
export function syntaxTree(state) {
  const node = {
    ...{ from: 0, to: state.doc.length, name: '', parent: null },
    type: { prop: () => undefined },
    childAfter: () => null,
    childBefore: () => null,
  };
  return { resolveInner: () => node, resolveStack: () => ({ node, next: null }) };
}

export const matchBrackets = () => null;

export const indentUnit = Facet.define({ combine: ([first]) => first ?? '  ' });
export const getIndentUnit = (state) => state.facet(indentUnit).length;
export const indentString = (_state, columns) => ' '.repeat(columns);

/** A new line is indented as the one before it. */
export const getIndentation = () => null;

export class IndentContext {
  lineIndent() {
    return 0;
  }
}
