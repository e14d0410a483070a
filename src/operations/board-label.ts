/**
 * Boards are stored as annotations, so that log, history, snapshots and backups include them. This
 * label marks boards. Users cannot set it on an annotation.
 */

import type { LabelPairs } from '../common/model/selector.js';

export const kBoardLabel = '__board__';
export const labelsOfBoards: LabelPairs = [[kBoardLabel, 'yes']];
/** An empty value: the annotation must lack this label. */
export const labelsOfNotes: LabelPairs = [[kBoardLabel, '']];
