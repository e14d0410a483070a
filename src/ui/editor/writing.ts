/** Edits the field as if the user had typed, so that undo reverts the edit. */

import { sameIn } from './same.js';

interface TextChange {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** The cursor moves behind the new text. */
export function replace(field: HTMLTextAreaElement, { from, to, text }: TextChange): void {
  // Selects only the changed text: undo would restore a selection, and the next letter would
  // replace it.
  const { before, behind } = sameIn(field.value.slice(from, to), text);
  const more = text.slice(before, text.length - behind);
  field.setSelectionRange(from + before, to - behind);
  if (document.activeElement !== field || !typeOver(field, more)) {
    field.setRangeText(more, from + before, to - behind, 'end');
    field.dispatchEvent(new InputEvent('input', { inputType: 'insertReplacementText' }));
  }
  const end = from + text.length;
  field.setSelectionRange(end, end);
}

/** Replaces the selection. False: the browser cannot. */
function typeOver(field: HTMLTextAreaElement, text: string): boolean {
  // With no text and no selection, `delete` would remove the letter before the cursor.
  if (text === '' && field.selectionStart === field.selectionEnd) return true;
  const command = text === '' ? 'delete' : 'insertText';
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- nothing else is taken back by undo
  return document.execCommand(command, false, text);
}

/** Replaces the whole text. The focus stays where it is. */
export function replaceAll(field: HTMLTextAreaElement, text: string): void {
  const { value } = field;
  if (value === text) return;
  const before = document.activeElement;
  // The first text must not be undone.
  if (value === '' && before !== field) {
    field.value = text;
    return;
  }
  field.focus({ preventScroll: true });
  replace(field, { from: 0, to: value.length, text });
  if (before !== field && before instanceof HTMLElement) before.focus({ preventScroll: true });
}

/**
 * Indents the new line like the line before. False: there is no indent, so the browser inserts the
 * break.
 */
export function breakLine(field: HTMLTextAreaElement): boolean {
  const { value, selectionStart: from, selectionEnd: to } = field;
  const line = value.slice(value.lastIndexOf('\n', from - 1) + 1, from);
  const indent = /^[ \t]*/.exec(line)?.[0] ?? '';
  if (indent === '') return false;
  replace(field, { from, to, text: `\n${indent}` });
  return true;
}
