/** PromQL for the editor. */

import { knowledge } from '../editor/known.js';
import { piecesOf } from './pieces.js';
import { suggest } from './suggestions.js';

import type { EditorLanguage } from '../editor/language.js';

export const promql: EditorLanguage = {
  name: 'PromQL expression',
  placeholder: 'sum by (job) (rate(requests_total[5m]))',
  piecesOf,
  suggest: (standing) => suggest(standing, knowledge),
  opening: /(?:[{["'`]|[,(]\s|\boffset\s|\b(?:by|without|on|ignoring|group_(?:left|right))\s*\()$/,
  leading: /[ (]$/,
};
