/** Writes a board as a file, and reads it back. The server validates the panels. */

import type { Board, NewBoard } from '../data/boards.js';

export function fileOf({ name, range, refresh, panels }: Board | NewBoard): string {
  const board = { name, range, refresh, panels };
  return `${JSON.stringify({ seriesdb_board: 1, ...board }, null, 2)}\n`;
}

/** Throws an Error with a sentence if the text is not a board. */
export function boardIn(text: string): NewBoard {
  const fault = 'This file is not a board; export a board to see the format.';
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error(fault);
  }
  if (typeof value !== 'object' || value === null || !('seriesdb_board' in value)) {
    throw new Error(fault);
  }
  if (value.seriesdb_board !== 1) {
    throw new Error('This board was made by a newer seriesdb.');
  }
  const { name, range, refresh, panels } = value as unknown as NewBoard;
  return {
    ...{ name, panels },
    ...(range === undefined ? {} : { range }),
    ...(refresh === undefined ? {} : { refresh }),
  };
}
