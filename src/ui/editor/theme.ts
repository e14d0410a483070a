/** How the editor looks: the colours of the page, whose properties reach into its shadow. */

import { EditorView } from '@codemirror/view';

export const theme = EditorView.theme({
  '&': { color: 'var(--text)', fontSize: '15px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': {
    fontFamily: 'var(--mono)',
    lineHeight: '24px',
    minHeight: '88px',
    maxHeight: '500px',
    overflow: 'auto',
  },
  '.cm-content': { padding: '8px 0', caretColor: 'var(--text)' },
  '.cm-line': { padding: '0 14px 0 6px' },
  '.cm-cursor': { borderLeft: '2px solid var(--accent)' },
  '.cm-placeholder': { color: 'var(--quiet)' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground':
    { backgroundColor: 'var(--selected)' },
  '.cm-gutters': {
    backgroundColor: 'transparent',
    color: 'var(--quiet)',
    border: '0',
    paddingLeft: '6px',
  },
  '.cm-lineNumbers .cm-gutterElement': {
    minWidth: '26px',
    padding: '0 6px 0 4px',
    fontSize: '13px',
  },
  '.fault-gutter': { width: '14px' },
  '.fault-mark': { color: 'var(--bad)', fontSize: '10px' },
  '.fault-text': {
    textDecoration: 'underline wavy var(--bad) 1.5px',
    textUnderlineOffset: '4px',
    textDecorationSkipInk: 'none',
  },
  '.ql-keyword': { color: 'var(--ql-keyword)', fontWeight: '600' },
  '.ql-function': { color: 'var(--ql-function)' },
  '.ql-column': { color: 'var(--ql-column)' },
  '.ql-text': { color: 'var(--ql-text)' },
  '.ql-number': { color: 'var(--ql-number)' },
  '.ql-window': { color: 'var(--ql-number)', fontWeight: '600' },
  '.ql-remark': { color: 'var(--quiet)', fontStyle: 'italic' },
  '.cm-tooltip': {
    border: '1px solid var(--line)',
    borderRadius: '8px',
    backgroundColor: 'var(--raised)',
    color: 'var(--text)',
    boxShadow: 'var(--shadow)',
    overflow: 'hidden',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    maxHeight: '266px',
    padding: '4px',
    fontFamily: 'var(--mono)',
    fontSize: '13px',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': {
    display: 'flex',
    alignItems: 'center',
    gap: '16px',
    padding: '3px 8px',
    borderRadius: '5px',
    lineHeight: '20px',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--accent-ground)',
    color: 'var(--text)',
  },
  '.cm-completionLabel': { flex: 'none' },
  '.cm-completionMatchedText': {
    textDecoration: 'none',
    fontWeight: '700',
    color: 'var(--accent)',
  },
  '.cm-completionDetail': {
    marginLeft: 'auto',
    overflow: 'hidden',
    textOverflow: 'ellipsis',
    color: 'var(--quiet)',
    fontFamily: 'var(--sans)',
    fontStyle: 'normal',
    fontSize: '12px',
  },
  '.cm-tooltip.cm-completionInfo': {
    width: '280px',
    maxWidth: '60vw',
    margin: '0 4px',
    padding: '10px 12px',
    fontSize: '13px',
    lineHeight: '19px',
    color: 'var(--quiet)',
  },
  // Beside the list there is no room.
  '@media (max-width: 639.98px)': { '.cm-tooltip.cm-completionInfo': { display: 'none' } },
});
