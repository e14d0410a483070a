/** SeriesQL for the editor. */

import { knowledge } from './known.js';
import { piecesOf } from './pieces.js';
import { suggest } from './suggestions.js';

import type { EditorLanguage } from './language.js';

export const seriesql: EditorLanguage = {
  name: 'SeriesQL statement',
  placeholder: 'select … from … where time >= now() - 1h',
  piecesOf,
  suggest: (standing) => suggest(standing, knowledge),
  opening: /(?:\b(?:from|into|for)\s|[{.='"]|=~\s?|[=,({]\s)$/i,
  leading: /[ .]$/,
};
