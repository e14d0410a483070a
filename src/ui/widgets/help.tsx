/** The help dialog: shortcuts and preferences. */

import { useEffect, useRef } from 'preact/hooks';

import { linkedRows } from '../pages/page-table.js';
import { hasShortcuts } from '../preferences.js';
import { DocsLink, docsLinks } from './docs-link.js';
import { Icon } from './icons.js';
import { ThemeChoices } from './tools.js';

interface HelpOptions {
  readonly isOpen: boolean;
  readonly close: () => void;
}

export function Help({ isOpen, close }: HelpOptions) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen]);
  return (
    <dialog ref={dialog} class="card help" aria-labelledby="help-title" onClose={close}>
      <div class="head">
        <h2 id="help-title">Keys and settings</h2>
        <button type="button" class="tool" aria-label="Close" onClick={close}>
          <Icon name="close" />
        </button>
      </div>
      <dl class="keys">
        {linkedRows.map(({ path, title, letter }) => (
          <Key key={path} keys={['g', letter]} does={title} />
        ))}
        <Key keys={['/']} does="Search" />
        <Key keys={['?']} does="This help" />
        <Key keys={['Esc']} does="Close what is open" />
      </dl>
      <h3>Keys of a focused chart</h3>
      <dl class="keys">
        <Key keys={['←', '→']} does="From sample to sample, with Shift ten" />
        <Key keys={['A', 'D']} does="Earlier, later" />
        <Key keys={['W', 'S']} does="Zoom in, out" />
        <Key keys={['0']} does="All data" />
        <Key keys={['L', 'Z']} does="Live, time zone" />
      </dl>
      <label class="check">
        <input
          type="checkbox"
          checked={hasShortcuts.value === 'on'}
          onChange={(event) => {
            hasShortcuts.value = event.currentTarget.checked ? 'on' : 'off';
          }}
        />
        Single keys act anywhere on the page
      </label>
      <h3>Documentation</h3>
      <p class="docs">
        {docsLinks.map(([name, words]) => (
          <DocsLink key={name} name={name}>
            {words}
          </DocsLink>
        ))}
      </p>
      <h3>Theme</h3>
      <div role="group" aria-label="Theme">
        <ThemeChoices />
      </div>
    </dialog>
  );
}

function Key({ keys, does }: { readonly keys: readonly string[]; readonly does: string }) {
  return (
    <div>
      <dt>
        {keys.map((key) => (
          <kbd key={key}>{key}</kbd>
        ))}
      </dt>
      <dd>{does}</dd>
    </div>
  );
}
