/** The dialog that searches the history of statements. */

import { useState } from 'preact/hooks';

import { epochText } from '../view.js';
import { matching, type AskedText } from './asked-list.js';
import { counted } from './counted.js';
import { Dialog } from './dialog.js';
import { printMs } from './plan-view.js';

import type { AskHistory } from './asked.js';

export interface HistoryOptions {
  readonly history: AskHistory;
  /** The unit of an answer's size. */
  readonly of: 'row' | 'series';
  readonly take: (text: string) => void;
  readonly close: () => void;
}

export function HistoryDialog({ history, of, take, close }: HistoryOptions) {
  const [word, setWord] = useState('');
  const found = matching(history.asked.value, word);
  return (
    <Dialog title="History" class="history" close={close}>
      <input
        type="search"
        aria-label="Find statements"
        placeholder="Find statements"
        value={word}
        onInput={(event) => {
          setWord(event.currentTarget.value);
        }}
      />
      {found.length === 0 ? (
        <p class="nothing">{word === '' ? 'No statements yet.' : 'No statement contains this.'}</p>
      ) : (
        <ul>
          {found.map((one) => (
            <Line key={one.text} {...{ one, of, take }} toggleStar={history.toggleStar} />
          ))}
        </ul>
      )}
      <div class="choices">
        <span class="quiet">Kept in this browser, without answers and INSERT statements.</span>
        <button type="button" class="button" onClick={history.forget}>
          Delete all without a star
        </button>
      </div>
    </Dialog>
  );
}

interface HistoryLineOptions extends Pick<HistoryOptions, 'of' | 'take'> {
  readonly one: AskedText;
  readonly toggleStar: (text: string) => void;
}

function Line({ one, of, take, toggleStar }: HistoryLineOptions) {
  const isStarred = one.isStarred === true;
  return (
    <li>
      <button
        type="button"
        class="tool star"
        aria-pressed={isStarred}
        aria-label="Star"
        onClick={() => {
          toggleStar(one.text);
        }}
      >
        {isStarred ? '★' : '☆'}
      </button>
      <button
        type="button"
        class="line"
        onClick={() => {
          take(one.text);
        }}
      >
        <code>{one.text}</code>
        <span class="quiet">
          {epochText(one.atMs)} · {counted(one.rows, of)} · {printMs(one.ms)}
        </span>
      </button>
    </li>
  );
}
