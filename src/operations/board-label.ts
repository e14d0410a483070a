/**
 * Boards are stored as annotations, so that log, history, snapshots and backups hold them as well.
 * This label tells the two apart; people cannot give it to a note.
 */

import type { LabelPairs } from '../model/selector.js';

export const kBoardLabel = '__board__';
export const labelsOfBoards: LabelPairs = [[kBoardLabel, 'yes']];
/** A label without a text: the annotation must not have it. */
export const labelsOfNotes: LabelPairs = [[kBoardLabel, '']];
