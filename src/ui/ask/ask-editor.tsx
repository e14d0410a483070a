/** The editor of a statement, with its faults below. */

import { CodeEditor } from '../editor/code-editor.js';
import { mended, type TextFault } from '../editor/fault.js';
import { stepped } from './asked-list.js';
import { FaultLines } from './fault-line.js';

import type { EditorLanguage } from '../editor/language.js';
import type { AskHistory } from './asked.js';
import type { Writing } from './writing.js';

interface AskEditorOptions extends Pick<Writing, 'text' | 'version' | 'typed' | 'write'> {
  readonly language: EditorLanguage;
  readonly faults: readonly TextFault[];
  readonly history: AskHistory;
  readonly start: () => void;
}

export function AskEditor(options: AskEditorOptions) {
  const { language, faults, history, start, text, version, typed, write } = options;
  return (
    <>
      <div class="ask-editor">
        <CodeEditor
          {...{ language, text, version, faults }}
          onText={typed}
          onRun={start}
          onStep={(step) => {
            write(stepped(history.asked.value, text, step));
          }}
        />
      </div>
      {faults.length === 0 ? null : (
        <FaultLines
          faults={faults}
          mend={(fault) => {
            write(mended(text, fault));
          }}
        />
      )}
    </>
  );
}
