/** Asks for confirmation before a change; names the metric, the times and the amount. */

import { useEffect, useRef } from 'preact/hooks';

import { useAnswer } from '../data/answer.js';
import { ask } from '../data/server.js';
import { printCount } from '../units.js';
import { counted } from './counted.js';
import { Dialog } from './dialog.js';

import type { StatementChange } from './statement.js';

interface ChangeOptions {
  readonly change: StatementChange;
  readonly proceed: () => void;
  readonly close: () => void;
}

export function ChangeDialog({ change, proceed, close }: ChangeOptions) {
  const { verb, target, what, count } = change;
  const isDelete = verb === 'DELETE';
  const cancel = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    cancel.current?.focus();
  }, []);
  return (
    <Dialog title={isDelete ? 'Delete samples?' : 'Write samples?'} class="change" close={close}>
      <dl class="facts">
        <Fact name={isDelete ? 'From' : 'Into'} value={target} />
        <Fact name={isDelete ? 'Where' : 'What'} value={what} />
        {count === null ? null : <Counted statement={count} />}
      </dl>
      {isDelete ? (
        <p class="quiet">
          seriesdb undelete restores samples while history keeps them; this page cannot.
        </p>
      ) : null}
      <div class="choices">
        <button type="button" class="button" ref={cancel} onClick={close}>
          Cancel
        </button>
        <button
          type="button"
          class={isDelete ? 'button main danger' : 'button main'}
          onClick={proceed}
        >
          {isDelete ? 'Delete' : 'Write'}
        </button>
      </div>
    </Dialog>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <code>{value}</code>
      </dd>
    </div>
  );
}

/** Counting may take long, so the dialog does not wait for it. */
function Counted({ statement }: { readonly statement: string }) {
  const { value, error } = useAnswer<string>({
    question: async (signal) => {
      const { rows } = await ask((client) => client.seriesql(statement, { signal }));
      const [samples = 0n, series = 0n] = (rows[0] ?? []).map((one) => BigInt(String(one ?? 0)));
      return `${counted(samples, 'sample')} in ${printCount(series)} series`;
    },
    key: statement,
    againAfterMs: () => null,
  });
  const told =
    value ??
    (error === null ? 'counting …' : `not counted: ${error.message.split('\n', 1)[0] ?? ''}`);
  return (
    <div>
      <dt>That is</dt>
      <dd>
        <span role="status">{told}</span>
      </dd>
    </div>
  );
}
