/** Adds the shown chart or statement to an existing or a new board. */

import { useEffect, useState } from 'preact/hooks';

import { tell } from '../announce.js';
import { addBoard, findBoards, panelOf, saveBoard, type Board } from '../data/boards.js';
import { sentenceOf } from '../data/fault.js';
import { place } from '../location.js';
import { printPlace, valueIn } from '../url.js';
import { Icon } from './icons.js';
import { Menu } from './menu.js';
import { TextChoice } from './text-choice.js';

export function AddToBoard() {
  return (
    <Menu icon="boards" name="Add to board">
      {(close) => <Boards close={close} />}
    </Menu>
  );
}

/** As that button looks, in a sentence about it. */
export function AddToBoardWords() {
  return (
    <b class="named-icon">
      <Icon name="boards" /> Add to board
    </b>
  );
}

function Boards({ close }: { readonly close: () => void }) {
  const [boards, setBoards] = useState<readonly Board[]>([]);
  const [fault, setFault] = useState('');
  const fail = (error: unknown): void => {
    setFault(sentenceOf(error));
  };
  useEffect(() => {
    const own = new AbortController();
    findBoards(own.signal).then(setBoards, (error: unknown) => {
      if (!own.signal.aborted) fail(error);
    });
    return () => {
      own.abort();
    };
  }, []);
  const put = (save: () => Promise<Board>): void => {
    save().then(({ id, name }) => {
      tell(`Added to ${name}`, printPlace({ page: `boards/${id}`, keys: new Map() }));
      close();
    }, fail);
  };
  const panel = panelOf(place.value);
  if (panel === null) return <p class="quiet">Run a statement first.</p>;
  return (
    <>
      {boards.map((board) => (
        <button
          key={board.id}
          type="button"
          class="choice"
          onClick={() => {
            put(() => saveBoard({ ...board, panels: [...board.panels, panel] }));
          }}
        >
          {board.name}
        </button>
      ))}
      <TextChoice
        name="New board"
        verb="Add"
        hint="Hosts"
        fault="Write a name."
        take={(name) => {
          if (name === '') return false;
          const range = valueIn(place.value, 't') ?? '6h';
          const refresh = valueIn(place.value, 'live');
          put(() =>
            addBoard({ name, range, ...(refresh === null ? {} : { refresh }), panels: [panel] }),
          );
          return true;
        }}
      />
      {fault === '' ? null : (
        <p class="fault" role="alert">
          {fault}
        </p>
      )}
    </>
  );
}
