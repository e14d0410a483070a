/** Writes into the field of the editor as somebody who types does, so that undo takes it back. */

import { sameIn } from './same.js';

interface Change {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** The cursor goes behind what was written. */
export function replace(field: HTMLTextAreaElement, { from, to, text }: Change): void {
  // What stays is not marked: after an undo it would be, and the next letter take its place.
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

/** In the place of what is marked. False: the browser cannot. */
function typeOver(field: HTMLTextAreaElement, text: string): boolean {
  // With nothing to write and nothing marked, a letter before it would go.
  if (text === '' && field.selectionStart === field.selectionEnd) return true;
  const command = text === '' ? 'delete' : 'insertText';
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- nothing else is taken back by undo
  return document.execCommand(command, false, text);
}

/** What another one wrote takes the place of all. Who was elsewhere on the page stays there. */
export function replaceAll(field: HTMLTextAreaElement, text: string): void {
  const { value } = field;
  if (value === text) return;
  const before = document.activeElement;
  // The first text is not to be undone.
  if (value === '' && before !== field) {
    field.value = text;
    return;
  }
  field.focus({ preventScroll: true });
  replace(field, { from: 0, to: value.length, text });
  if (before !== field && before instanceof HTMLElement) before.focus({ preventScroll: true });
}

/** A new line begins as far in as the one before it. False: as it is, the browser breaks it. */
export function breakLine(field: HTMLTextAreaElement): boolean {
  const { value, selectionStart: from, selectionEnd: to } = field;
  const line = value.slice(value.lastIndexOf('\n', from - 1) + 1, from);
  const indent = /^[ \t]*/.exec(line)?.[0] ?? '';
  if (indent === '') return false;
  replace(field, { from, to, text: `\n${indent}` });
  return true;
}
