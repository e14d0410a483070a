/** What the editor has to know of a language. */

import type { Piece } from './pieces.js';
import type { Standing, Suggestions } from './suggestions.js';

export interface EditorLanguage {
  /** Of the field, to whom cannot see it. */
  readonly name: string;
  /** What an empty field shows. */
  readonly placeholder: string;
  readonly piecesOf: (text: string) => readonly Piece[];
  readonly suggest: (standing: Standing) => Promise<Suggestions>;
  /** What a text ends in where something is wanted before a letter of it is typed. */
  readonly opening: RegExp;
  /** What a suggestion ends in that is followed by another. */
  readonly leading: RegExp;
}
