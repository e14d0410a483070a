/** Opens the history; choosing an entry closes it. */

import { useState } from 'preact/hooks';

import { Icon } from '../widgets/icons.js';
import { HistoryDialog, type HistoryOptions } from './history-dialog.js';

export function HistoryButton({ take, ...shown }: Omit<HistoryOptions, 'close'>) {
  const [isOpen, setOpen] = useState(false);
  const close = (): void => {
    setOpen(false);
  };
  return (
    <>
      <button
        type="button"
        class="tool"
        onClick={() => {
          setOpen(true);
        }}
      >
        <Icon name="clock" />
        History
      </button>
      {isOpen ? (
        <HistoryDialog
          {...shown}
          close={close}
          take={(text) => {
            take(text);
            close();
          }}
        />
      ) : null}
    </>
  );
}
