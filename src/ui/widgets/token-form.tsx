/** Asks for a token, above the page that requires it. */

import { useEffect, useRef, useState } from 'preact/hooks';

import { isReadableOnTheWay } from '../data/base.js';
import { tryToken } from '../data/server.js';
import { Icon } from './icons.js';

import type { TargetedSubmitEvent } from 'preact';

export function TokenForm() {
  const [fault, setFault] = useState<string | null>(null);
  const [isTrying, setTrying] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    field.current?.focus();
  }, []);
  const show = async (event: TargetedSubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const text = field.current?.value.trim() ?? '';
    if (text === '' || isTrying) return;
    setTrying(true);
    const found = await tryToken(text);
    setTrying(false);
    setFault(found);
    field.current?.select();
  };
  return (
    <form
      class="card token-form"
      aria-labelledby="token-title"
      onSubmit={(event) => void show(event)}
    >
      <h1 id="token-title">
        <Icon name="key" /> This server requires a token
      </h1>
      <label for="token">Access token</label>
      <input
        id="token"
        ref={field}
        type="password"
        autocomplete="off"
        spellcheck={false}
        aria-describedby="token-notes"
        aria-invalid={fault !== null}
      />
      {fault === null ? null : (
        <p class="fault" role="alert">
          {fault}
        </p>
      )}
      <div id="token-notes">
        <p class="quiet">It is kept until this tab is closed.</p>
        {isReadableOnTheWay ? (
          <p class="fault">
            This page came over plain HTTP: whoever is on the way can read the token.
          </p>
        ) : null}
      </div>
      <button type="submit" class="button main" disabled={isTrying}>
        {isTrying ? 'Trying …' : 'Continue'}
      </button>
    </form>
  );
}
