/**
 * Boards are stored as annotations, so that log, history, snapshots and backups hold them as well.
 * This label tells the two apart; people cannot give it to a note.
 */

import type { LabelPairs } from '../common/model/selector.js';

export const kBoardLabel = '__board__';
export const labelsOfBoards: LabelPairs = [[kBoardLabel, 'yes']];
/** An empty value: the annotation must lack this label. */
export const labelsOfNotes: LabelPairs = [[kBoardLabel, '']];
