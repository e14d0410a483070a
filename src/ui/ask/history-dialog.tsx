/** The statements that were run, to find one again. */

import { useState } from 'preact/hooks';

import { epochText } from '../view.js';
import { matching, type Asked } from './asked-list.js';
import { asked, forgetAsked, toggleStar } from './asked.js';
import { counted } from './counted.js';
import { Dialog } from './dialog.js';
import { printMs } from './plan-view.js';

interface HistoryOptions {
  readonly take: (text: string) => void;
  readonly close: () => void;
}

export function HistoryDialog({ take, close }: HistoryOptions) {
  const [word, setWord] = useState('');
  const found = matching(asked.value, word);
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
        <p class="nothing">
          {word === '' ? 'Nothing was run yet.' : 'No statement has this in it.'}
        </p>
      ) : (
        <ul>
          {found.map((one) => (
            <Line key={one.text} one={one} take={take} />
          ))}
        </ul>
      )}
      <div class="choices">
        <span class="quiet">Kept in this browser: no answer, no text of an INSERT.</span>
        <button type="button" class="button" onClick={forgetAsked}>
          Forget all without a star
        </button>
      </div>
    </Dialog>
  );
}

function Line({ one, take }: { readonly one: Asked; readonly take: (text: string) => void }) {
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
          {epochText(one.atMs)} · {counted(one.rows, 'row')} · {printMs(one.ms)}
        </span>
      </button>
    </li>
  );
}
