/** A file that the user dropped or chose; the page Load loads it. */

import { signal } from '@preact/signals';

import { go, place } from '../location.js';
import { placeOfPage } from '../url.js';

export const chosenFile = signal<File | null>(null);
/** The number of files dropped with it, which are ignored. */
export const leftOutCount = signal(0);
/** True while a file is dragged over the page. */
export const isFileAbove = signal(false);

/** Accepts dropped files on every page. Returns a function that removes the listeners. */
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
