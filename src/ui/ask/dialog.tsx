/** A dialog over the page, which Esc closes. */

import { useEffect, useId, useRef } from 'preact/hooks';

import { Icon } from '../widgets/icons.js';

import type { ComponentChildren } from 'preact';

interface DialogOptions {
  readonly title: string;
  readonly class: string;
  readonly close: () => void;
  readonly children: ComponentChildren;
}

/** Open while it is mounted. */
export function Dialog({ title, class: look, close, children }: DialogOptions) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog ref={dialog} class={`card ${look}`} aria-labelledby={id} onClose={close}>
      <div class="dialog-head">
        <h2 id={id}>{title}</h2>
        <button type="button" class="tool" aria-label="Close" onClick={close}>
          <Icon name="close" />
        </button>
      </div>
      {children}
    </dialog>
  );
}
