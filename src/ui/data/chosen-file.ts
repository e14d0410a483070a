/** A file that was dropped on the page or chosen: the page that loads files takes it. */

import { signal } from '@preact/signals';

import { go, place } from '../location.js';
import { placeOfPage } from '../url.js';

export const chosenFile = signal<File | null>(null);
/** So many were dropped with it and are not taken. */
export const leftOutCount = signal(0);
/** A file is held above the page. */
export const isFileAbove = signal(false);

/** Whatever page is shown takes a file. Returns what ends it. */
export function listenForFiles(): () => void {
  const hasFile = ({ dataTransfer }: DragEvent): boolean =>
    dataTransfer?.types.includes('Files') === true;
  const over = (event: DragEvent): void => {
    if (!hasFile(event)) return;
    event.preventDefault();
    isFileAbove.value = true;
  };
  const leave = ({ relatedTarget }: DragEvent): void => {
    if (relatedTarget === null) isFileAbove.value = false;
  };
  const drop = (event: DragEvent): void => {
    isFileAbove.value = false;
    const [file] = event.dataTransfer?.files ?? [];
    if (!hasFile(event) || file === undefined) return;
    event.preventDefault();
    chosenFile.value = file;
    leftOutCount.value = (event.dataTransfer?.files.length ?? 1) - 1;
    go(placeOfPage('load', place.value));
  };
  const listeners = { dragover: over, dragleave: leave, drop } as const;
  for (const [name, listener] of Object.entries(listeners)) {
    document.addEventListener(name, listener as EventListener);
  }
  return () => {
    for (const [name, listener] of Object.entries(listeners)) {
      document.removeEventListener(name, listener as EventListener);
    }
  };
}
