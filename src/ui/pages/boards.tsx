/** The list of boards, or one board. */

import { useEffect, useRef, useState } from 'preact/hooks';

import { BoardView } from '../boards/board-view.js';
import { useBoardChanges } from '../boards/board-changes.js';
import { boardIn } from '../boards/board-file.js';
import { serverBoard } from '../boards/server-board.js';
import { useAnswer } from '../data/answer.js';
import { addBoard, deleteBoard, findBoards, type Board, type NewBoard } from '../data/boards.js';
import { sentenceOf } from '../data/fault.js';
import { ask } from '../data/server.js';
import { go, pagePath, place, settle } from '../location.js';
import { changed, placeOfPage, printPlace, valueIn, type PagePlace } from '../url.js';
import { AddToBoardWords } from '../widgets/add-to-board.js';
import { AnswerView } from '../widgets/answer-view.js';
import { FaultNotice } from '../widgets/fault-notice.js';
import { Icon } from '../widgets/icons.js';
import { TextChoice } from '../widgets/text-choice.js';

import type { ComponentChildren } from 'preact';

/** The id of the server's own board in the address. */
const kServer = 'server';
/** Every scrape of a server has it. */
const kServerMetric = 'seriesdb_series';
const kLookAgainMs = 10_000;
/** A refresh that is none, as a board that was saved without one has it. */
const kOff = 'off';

export function BoardsPage() {
  const [, id = ''] = pagePath.value.split('/');
  return id === kServer ? <ServerBoard /> : <StoredBoards id={id} />;
}

/** Without figures it says what stores them, in the place of panels that have nothing. */
function ServerBoard() {
  useEffect(() => {
    document.title = `${serverBoard.name} · seriesdb`;
  }, []);
  const answer = useAnswer({
    question: (signal) =>
      ask((client) => client.findMetrics({ prefix: kServerMetric, limit: 1 }, { signal })),
    key: '',
    againAfterMs: (found) => (found?.length === 0 ? kLookAgainMs : null),
  });
  return (
    <AnswerView answer={answer}>
      {(found) =>
        found.length === 0 ? (
          <>
            <BackToBoards />
            <div class="board-head">
              <h1>{serverBoard.name}</h1>
            </div>
            <p>
              No figures yet. The panels appear when a scraper (vmagent, Prometheus) reads{' '}
              <code>{location.origin}/metrics</code> and stores it here by remote_write; the first
              rates come after two scrapes. Until then the page <a href="#/server">Server</a> has
              the present figures.
            </p>
          </>
        ) : (
          <Opened board={serverBoard} change={null} remove={null} />
        )
      }
    </AnswerView>
  );
}

/** The board of this id; an empty id shows the list. */
function StoredBoards({ id }: { readonly id: string }) {
  const answer = useAnswer<readonly Board[]>({
    question: findBoards,
    key: id,
    againAfterMs: () => null,
  });
  return (
    <AnswerView answer={answer}>
      {(boards) => {
        if (id === '') return <BoardList {...{ boards }} />;
        const board = boards.find((one) => String(one.id) === id);
        // The board may have been created a moment ago.
        if (board === undefined) return answer.isLoading ? null : <NoBoard />;
        return <StoredBoard key={id} stored={board} again={answer.again} />;
      }}
    </AnswerView>
  );
}

function StoredBoard({ stored, again }: { readonly stored: Board; readonly again: () => void }) {
  const { board, change } = useBoardChanges(stored, again);
  const remove = async (): Promise<void> => {
    await deleteBoard(board.id);
    again();
    go(placeOfPage('boards', place.value));
  };
  return <Opened {...{ board, change, remove }} />;
}

interface OpenedOptions {
  readonly board: Board | NewBoard;
  readonly change: ((changes: Partial<NewBoard>) => Promise<void>) | null;
  readonly remove: (() => Promise<void>) | null;
  readonly children?: ComponentChildren;
}

/** A board opened without a time range uses its own. */
function Opened({ board, change, remove, children }: OpenedOptions) {
  const { name, range, refresh } = board;
  useEffect(() => {
    document.title = `${name} · seriesdb`;
    const hasTime = valueIn(place.value, 't') !== null || valueIn(place.value, 'live') !== null;
    const live = refresh === undefined || refresh === kOff ? null : refresh;
    if (!hasTime) settle(changed(place.value, { t: range ?? '1h', live }));
  }, [name]);
  return (
    <>
      <BackToBoards />
      <BoardView {...{ board, change, remove }}>{children}</BoardView>
    </>
  );
}

function BackToBoards() {
  return (
    <a class="back" href={printPlace({ page: 'boards', keys: new Map() })}>
      <Icon name="earlier" />
      Boards
    </a>
  );
}

function NoBoard() {
  return (
    <>
      <h1>No such board</h1>
      <p class="nothing">
        No board has this number, or it was deleted. <a href="#/boards">All boards</a>
      </p>
    </>
  );
}

const boardPlace = (id: string): PagePlace => ({ page: `boards/${id}`, keys: new Map() });
const addressOf = (id: string): string => printPlace(boardPlace(id));

function BoardList({ boards }: { readonly boards: readonly Board[] }) {
  const [fault, setFault] = useState('');
  const open = (made: Promise<Board>): void => {
    setFault('');
    made.then(
      ({ id }) => {
        go(boardPlace(String(id)));
      },
      (error: unknown) => {
        setFault(sentenceOf(error));
      },
    );
  };
  return (
    <>
      <h1>Boards</h1>
      <ul class="board-list">
        {boards.map(({ id, name, panels }) => (
          <li key={id}>
            <a href={addressOf(String(id))}>{name}</a>
            <span class="quiet">{panels.length === 1 ? '1 panel' : `${panels.length} panels`}</span>
          </li>
        ))}
        <li>
          <a href={addressOf(kServer)}>{serverBoard.name}</a>
          <span class="quiet">built in: the server’s own metrics</span>
        </li>
      </ul>
      <NewBoardForm open={open} />
      <FaultNotice text={fault} />
      <p class="quiet">
        {boards.length === 0 ? 'No board of your own yet. ' : ''}Open a metric or run a statement in
        Ask, then choose <AddToBoardWords /> at the right above it. A board has one time range and
        one refresh; its address is a link to it.
      </p>
    </>
  );
}

function NewBoardForm({ open }: { readonly open: (made: Promise<Board>) => void }) {
  const file = useRef<HTMLInputElement>(null);
  return (
    <div class="board-new">
      <TextChoice
        name="New board"
        verb="Add"
        hint="Hosts"
        fault="Write a name."
        take={(name) => {
          if (name !== '') open(addBoard({ name, range: '6h', panels: [] }));
          return name !== '';
        }}
      />
      <button
        type="button"
        class="button"
        onClick={() => {
          file.current?.click();
        }}
      >
        Import a file
      </button>
      <input
        ref={file}
        type="file"
        accept=".json,application/json"
        aria-label="Board file"
        hidden
        onChange={(event) => {
          const [chosen] = event.currentTarget.files ?? [];
          if (chosen !== undefined) open(chosen.text().then((text) => addBoard(boardIn(text))));
          // Allows the same file to be chosen again.
          event.currentTarget.value = '';
        }}
      />
    </div>
  );
}
