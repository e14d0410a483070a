/** Changes of one board: shown at once, and written one after another. */

import { useEffect, useRef, useState } from 'preact/hooks';

import { saveBoard, type Board, type NewBoard } from '../data/boards.js';

interface BoardChanges {
  /** With what was changed here and not read back yet. */
  readonly board: Board;
  /** Resolves when the server has it. Where it rejects, the board is shown as stored again. */
  readonly change: (changes: Partial<NewBoard>) => Promise<void>;
}

/**
 * A board is written whole. Each change starts from the one before it, although that one may be on
 * its way still: made from what the server sent last, it would take the other back.
 */
export function useBoardChanges(stored: Board, again: () => void): BoardChanges {
  const [shown, setShown] = useState<Board | null>(null);
  const newest = useRef<Board | null>(null);
  const writes = useRef<Promise<void>>(Promise.resolve());
  const waiting = useRef(0);
  const show = (board: Board | null): void => {
    newest.current = board;
    setShown(board);
  };
  useEffect(() => {
    if (waiting.current === 0) show(null);
  }, [stored]);
  const change = async (changes: Partial<NewBoard>): Promise<void> => {
    const next = { ...(newest.current ?? stored), ...changes };
    show(next);
    waiting.current += 1;
    const write = writes.current.then(async () => {
      await saveBoard(next);
    });
    // Who made a change hears of its failure; the next one is written all the same.
    writes.current = write.catch(() => undefined);
    try {
      await write;
    } catch (error) {
      if (newest.current === next) show(null);
      throw error;
    } finally {
      waiting.current -= 1;
      again();
    }
  };
  return { board: shown ?? stored, change };
}
