/** The editor's interface to a language. */

import type { EditorPiece } from './pieces.js';
import type { Standing, Suggestions } from './suggestions.js';

export interface EditorLanguage {
  /** The field's name for screen readers. */
  readonly name: string;
  /** Shown in an empty field. */
  readonly placeholder: string;
  readonly piecesOf: (text: string) => readonly EditorPiece[];
  readonly suggest: (standing: Standing) => Promise<Suggestions>;
  /** Matches a text after which suggestions open before a letter is typed. */
  readonly opening: RegExp;
  /** Matches a suggestion after which another one opens. */
  readonly leading: RegExp;
}
