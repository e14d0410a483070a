/** A text with a button that copies it. */

import { useState } from 'preact/hooks';

import { announce, tell } from '../announce.js';
import { Icon } from './icons.js';

const kToldMs = 2_000;

export function Copyable({ text, name }: { readonly text: string; readonly name: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    if (!(await copied(text))) return;
    setCopied(true);
    announce(`Copied: ${name}`);
    setTimeout(() => {
      setCopied(false);
    }, kToldMs);
  };
  return (
    <div class="copyable">
      <pre tabIndex={0} aria-label={name}>
        <code>{text}</code>
      </pre>
      <button type="button" class="button" onClick={() => void copy()}>
        <Icon name={isCopied ? 'check' : 'copy'} />
        {isCopied ? 'Copied' : 'Copy'}
      </button>
    </div>
  );
}

/**
 * Copies a text. The clipboard needs TLS or localhost; otherwise the user is asked to copy by hand.
 * False: not copied.
 */
export async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    tell('This browser does not allow copying here: select the text and copy it by hand.');
    return false;
  }
}
