/** Changes of one board: shown at once, written one after another. */

import { useEffect, useRef, useState } from 'preact/hooks';

import { saveBoard, type Board, type NewBoard } from '../data/boards.js';

interface BoardChanges {
  /** The board with the local changes that the server has not returned yet. */
  readonly board: Board;
  /**
   * Resolves once the server has stored the change. If it rejects, the stored board is shown again.
   */
  readonly change: (changes: Partial<NewBoard>) => Promise<void>;
}

/**
 * Each request writes the whole board. So each change builds on the previous one, even if that is
 * still in flight. A change built on the last stored board would undo it.
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
    // The caller handles the failure; the next change is written all the same.
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
