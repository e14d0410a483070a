/** Of notes that were changed and deleted: what stands in ANNOTATIONS of them, and in the log. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { always, change, edit, refused, replaceBy, type Damage, type GoldenCase } from './case.js';
import { changeFormat } from './formats.js';
import {
  dataOf,
  flippedIn,
  recordsOf,
  withoutEnd,
  withoutRecord,
  withRecord,
} from './log-bytes.js';

import type { Opened, Outcome, Point } from './outcome.js';

/** As `make.ts` fills it: seven in ANNOTATIONS, and the last four in the log. */
const noted: Opened = {
  opens: true,
  from: null,
  samples: { a: Array.from({ length: 10 }, (_, ts): Point => [ts, ts]) },
  annotations: 2,
  notes: { 1: 'first, changed again', 7: 'fifth' },
  reasons: [],
};

/** The first three flushes made a record each: four notes, a change with a deletion, and a note. */
const file = 'ANNOTATIONS';

const editNewestLog =
  (editor: (log: Buffer) => Buffer): Damage =>
  (directory) => {
    const newest = readdirSync(join(directory, 'wal')).sort().at(-1) ?? '';
    change(directory, join('wal', newest), editor);
  };

interface Came {
  readonly legacy: Outcome;
  readonly primary?: Outcome;
}

function noteCase(name: string, { legacy, primary = legacy }: Came, damage: Damage): GoldenCase {
  const ofNoted: Damage = (directory, others) => {
    replaceBy(others.noted, directory);
    damage(directory, others);
  };
  return { ...always(name, legacy, ofNoted), since: changeFormat, fromCommit: primary };
}

/** The id, from 1 to 2, no part but what it changes, kind and title of a letter, no label. */
const changeOf = (id: number, changed: number): readonly number[] => [
  ...[id, 2, 1, 4, changed, 1, 0x6b, 1, 0x74, 0],
];

export const noteCases: readonly GoldenCase[] = [
  noteCase('notes', { legacy: noted }, () => undefined),
  noteCase(
    'notes-change-flipped',
    { legacy: refused(file, 'a damaged record', 'at offset'), primary: noted },
    edit(file, (log) => flippedIn(log, recordsOf(log)[1])),
  ),
  noteCase(
    'notes-change-spliced-out',
    { legacy: refused(file, 'instead of', 'at offset'), primary: noted },
    edit(file, (log) => withoutRecord(log, recordsOf(log)[1])),
  ),
  noteCase(
    'notes-torn',
    { legacy: refused(`${file} holds 6 annotations of 7`), primary: noted },
    edit(file, (log) => log.subarray(0, -3)),
  ),
  noteCase(
    'notes-deletion-cut-from-the-log',
    { legacy: { ...noted, annotations: 3, notes: { ...noted.notes, 3: 'third, changed' } } },
    editNewestLog((log) => withoutEnd(log).subarray(0, -3)),
  ),
  noteCase(
    'notes-change-flipped-in-the-log',
    { legacy: refused('wal', 'a damaged record', 'at offset') },
    editNewestLog((log) => flippedIn(log, dataOf(log)[0])),
  ),
  noteCase(
    'notes-change-of-a-change',
    { legacy: refused('wal', 'annotation 12 changes another change') },
    editNewestLog((log) => withRecord(withoutEnd(log), 2, changeOf(12, 5))),
  ),
  noteCase(
    'notes-change-of-itself',
    { legacy: refused('wal', 'impossible ids or times') },
    editNewestLog((log) => withRecord(withoutEnd(log), 2, changeOf(12, 12))),
  ),
];
