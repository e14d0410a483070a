/** A board with its panels, and the tools to arrange them. */

import { useState } from 'preact/hooks';

import { announce } from '../announce.js';
import { placeOfPanel, type Board, type NewBoard, type Panel } from '../data/boards.js';
import { sentenceOf } from '../data/fault.js';
import { place } from '../location.js';
import { save } from '../look/take-away.js';
import { Step } from '../look/toolbar.js';
import { printPlace, valueIn } from '../url.js';
import { FaultNotice } from '../widgets/fault-notice.js';
import { AddToBoardWords } from '../widgets/add-to-board.js';
import { fileOf } from './board-file.js';
import { MetricPanel } from './metric-panel.js';
import { StatementPanel } from './statement-panel.js';

import type { ComponentChildren } from 'preact';

interface BoardViewOptions {
  readonly board: Board | NewBoard;
  /** Null: the board is read-only. */
  readonly change: ((changes: Partial<NewBoard>) => Promise<void>) | null;
  readonly remove: (() => Promise<void>) | null;
  /** Shown above the panels. */
  readonly children?: ComponentChildren;
}

export function BoardView({ board, change, remove, children }: BoardViewOptions) {
  const [isEditing, setEditing] = useState(false);
  const [fault, setFault] = useState('');
  const attempt = (work: Promise<void> | undefined): void => {
    setFault('');
    work?.catch((error: unknown) => {
      setFault(sentenceOf(error));
    });
  };
  const put: Put = (changes, done) => {
    attempt(
      change?.(changes).then(() => {
        if (done !== undefined) announce(done);
      }),
    );
  };
  return (
    <>
      <BoardHead {...{ board, isEditing }} setEditing={change === null ? null : setEditing} />
      {children}
      <FaultNotice text={fault} />
      {isEditing ? (
        <Editing
          {...{ board, put }}
          remove={() => {
            attempt(remove?.());
          }}
        />
      ) : null}
      {board.panels.length === 0 ? (
        <p class="nothing">
          No panels yet. Open a metric or run a statement in Ask, then choose <AddToBoardWords />.
        </p>
      ) : (
        <div class="board">
          {board.panels.map((panel, at) => (
            <PanelCard
              key={`${String(at)} ${JSON.stringify(panel)}`}
              panel={panel}
              tools={isEditing ? <PanelTools {...{ board, at, put }} /> : null}
              rename={
                isEditing
                  ? (title) => {
                      put({ panels: renamed(board.panels, at, title) });
                    }
                  : null
              }
            />
          ))}
        </div>
      )}
    </>
  );
}

interface BoardHeadOptions {
  readonly board: Board | NewBoard;
  readonly isEditing: boolean;
  /** Null: the board is read-only. */
  readonly setEditing: ((isEditing: boolean) => void) | null;
}

function BoardHead({ board, isEditing, setEditing }: BoardHeadOptions) {
  return (
    <div class="board-head">
      <h1>{board.name}</h1>
      <div class="steps">
        <Step
          icon="download"
          name="Export"
          onClick={() => {
            const name = board.name.replace(/[^\w.-]+/g, '-');
            save(new Blob([fileOf(board)], { type: 'application/json' }), `${name}.board.json`);
            announce('Exported as a file');
          }}
        />
        {setEditing === null ? null : (
          <button
            type="button"
            class="button"
            aria-pressed={isEditing}
            onClick={() => {
              setEditing(!isEditing);
            }}
          >
            {isEditing ? 'Done' : 'Edit'}
          </button>
        )}
      </div>
    </div>
  );
}

interface PanelCardOptions {
  readonly panel: Panel;
  readonly tools: ComponentChildren;
  /** Null: the title cannot be changed now. */
  readonly rename: ((title: string) => void) | null;
}

const renamed = (panels: readonly Panel[], at: number, title: string): readonly Panel[] =>
  panels.map((panel, other) => (other === at ? { ...panel, title } : panel));

function PanelCard({ panel, tools, rename }: PanelCardOptions) {
  const alone = placeOfPanel(panel, place.value);
  return (
    <section class="card panel-card" aria-label={panel.title}>
      <div class="panel-head">
        {rename === null ? (
          <h2 title={panel.title}>
            <a href={printPlace(alone)}>{panel.title}</a>
          </h2>
        ) : (
          <input
            type="text"
            aria-label={`Title of ${panel.title}`}
            value={panel.title}
            onChange={(event) => {
              const title = event.currentTarget.value.trim();
              if (title !== '' && title !== panel.title) rename(title);
            }}
          />
        )}
        {tools}
      </div>
      {panel.metric === undefined ? (
        <StatementPanel title={panel.title} alone={alone} />
      ) : (
        <MetricPanel title={panel.title} alone={alone} />
      )}
    </section>
  );
}

/** Announces `done` once the change is stored. */
type Put = (changes: Partial<NewBoard>, done?: string) => void;

interface PanelToolsOptions {
  readonly board: Board | NewBoard;
  readonly at: number;
  readonly put: Put;
}

function PanelTools({ board: { panels }, at, put }: PanelToolsOptions) {
  const title = panels[at]?.title ?? '';
  const move = (by: -1 | 1): void => {
    const moved = [...panels];
    moved.splice(at + by, 0, ...moved.splice(at, 1));
    put({ panels: moved });
  };
  return (
    <div class="steps">
      <Step
        icon="earlier"
        name={`Move ${title} forward`}
        isOff={at === 0}
        onClick={() => {
          move(-1);
        }}
      />
      <Step
        icon="later"
        name={`Move ${title} back`}
        isOff={at === panels.length - 1}
        onClick={() => {
          move(1);
        }}
      />
      <Step
        icon="close"
        name={`Remove ${title}`}
        onClick={() => {
          put({ panels: panels.filter((_, other) => other !== at) });
        }}
      />
    </div>
  );
}

interface EditingOptions {
  readonly board: Board | NewBoard;
  readonly put: Put;
  readonly remove: () => void;
}

function Editing({ board, put, remove }: EditingOptions) {
  const [name, setName] = useState(board.name);
  const [isAsked, setAsked] = useState(false);
  return (
    <form
      class="board-edit"
      onSubmit={(event) => {
        event.preventDefault();
        put({ name: name.trim() });
      }}
    >
      <label class="field">
        Name
        <input
          type="text"
          value={name}
          onInput={(event) => {
            setName(event.currentTarget.value);
          }}
        />
      </label>
      <button type="submit" class="button">
        Rename
      </button>
      <button
        type="button"
        class="button"
        onClick={() => {
          const [range, refresh] = [valueIn(place.value, 't'), valueIn(place.value, 'live')];
          const saved = { range: range ?? '1h', refresh: refresh ?? 'off' };
          put(saved, 'Saved the time range and the refresh');
        }}
      >
        Save time range
      </button>
      <button
        type="button"
        class="button"
        onClick={() => {
          if (isAsked) remove();
          setAsked(true);
        }}
      >
        {isAsked ? 'Delete for good' : 'Delete board'}
      </button>
    </form>
  );
}
