/** The faults of a statement, below the editor. */

import { lostAtMs } from '../data/server.js';
import { isTokenWanted } from '../data/token.js';
import { Icon } from '../widgets/icons.js';
import { settingOf } from './run.js';

import type { TextFault } from '../editor/fault.js';

interface FaultOptions {
  readonly faults: readonly TextFault[];
  readonly mend: (fault: TextFault) => void;
}

export function FaultLines({ faults, mend }: FaultOptions) {
  return (
    <div role="alert">
      {faults.map((fault) => (
        <FaultLine key={fault.place} fault={fault} mend={mend} />
      ))}
    </div>
  );
}

interface FaultLineOptions {
  readonly fault: TextFault;
  readonly mend: (fault: TextFault) => void;
}

function FaultLine({ fault, mend }: FaultLineOptions) {
  const { place, sentence, hint, meant } = fault;
  return (
    <p class="fault-line">
      <span class="place">{place}: </span>
      {sentence}
      {meant === null ? (
        hint === '' ? null : (
          <span class="quiet"> — {hint}</span>
        )
      ) : (
        <>
          {' — did you mean '}
          <button
            type="button"
            class="button"
            onClick={() => {
              mend(fault);
            }}
          >
            {meant}
          </button>
          ?
        </>
      )}
    </p>
  );
}

interface RefusalOptions {
  readonly error: Error;
  readonly again: () => void;
}

/**
 * An error without a position in the text, such as a limit. The frame reports a wanted token and a
 * lost server.
 */
export function Refusal({ error, again }: RefusalOptions) {
  if (isTokenWanted.value || lostAtMs.value !== null) return null;
  const setting = settingOf(error);
  const code = 'code' in error ? String(error.code) : '';
  return (
    <div class="notice bad" role="alert">
      <Icon name="warning" />
      <div>
        <p>{error.message}</p>
        <p class="quiet">
          {code}
          {setting === null ? null : (
            <>
              {' '}
              · the setting <code>{setting}</code> of the server
            </>
          )}
        </p>
      </div>
      <button type="button" class="button" onClick={again}>
        Try again
      </button>
    </div>
  );
}
