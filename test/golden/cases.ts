/**
 * All cases. The directories are kept; a case is run again only to make them of a new format.
 *
 * A directory of format 1 has a write-ahead log without marks, which cannot tell everything. One of
 * format 2 has segments without the rests of sums, one of format 3 segments whose directory has no
 * pages. One of format 7 also has a MANIFEST that retention wrote in, one of format 8 short chunks
 * without frames, and a segment that nothing is merged into any more. One of format 9 has commits,
 * and segments that are named by their hash, one of format 10 a ROOT with an id and features, one
 * of format 11 an index that was made anew, one of format 12 notes that were changed and deleted,
 * one of format 13 stale markers and others that are no numbers among decimals, one of format 14
 * packed records in CATALOG and REFS.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { segmentFile } from '../support/segment-files.js';
import {
  always,
  change,
  edit,
  refused,
  remove,
  replaceBy,
  replaced,
  type Damage,
  type GoldenCase,
} from './case.js';
import { dayMs } from './engine.js';
import {
  commitFormat,
  featureFormat,
  mergeFormat,
  pageFormat,
  renewedFormat,
  retentionFormat,
} from './formats.js';
import {
  checksumOf,
  dataOf,
  flipped,
  flippedIn,
  recordsOf,
  withRecord,
  withoutEnd,
  withoutRecord,
} from './log-bytes.js';
import { noteCases } from './note-cases.js';
import { specialCase } from './special-case.js';

import type { Opened, Outcome, Point } from './outcome.js';

function span(first: number, count: number): Point[] {
  return Array.from({ length: count }, (_, index) => [first + index, first + index]);
}

const without = (points: readonly Point[], gone: readonly number[]): Point[] =>
  points.filter(([ts]) => !gone.includes(ts));

/**
 * Ten tenths are 1 and 2^-54: the sum of their chunk is 1, and its rest what is beyond. With half
 * of 1's last digit, in another segment, the rest decides how the whole is rounded.
 */
export const tenth = 0.1;
export const halfDigit = 2 ** -53;

/** As `make.ts` fills it. */
const whole: Opened = {
  opens: true,
  from: null,
  samples: {
    a: [...without(span(0, 10), [2, 3]), ...span(dayMs, 10)],
    b: [...without(span(0, 10), [5, 6]), ...span(dayMs, 10)],
    c: span(0, 35),
    e: span(dayMs, 10),
    f: [...span(dayMs, 10).map(([ts]): Point => [ts, tenth]), [2 * dayMs, halfDigit]],
  },
  sums: { f: 1 + 2 ** -52 },
  annotations: 2,
  reasons: [],
};

/** What retention left, but for the samples. */
const retained: Opened = {
  opens: true,
  from: null,
  samples: {},
  annotations: 0,
  reasons: [],
};

/** Hundredths, since whole numbers are coded alike everywhere. */
export const longValue = (ts: number): number => ((ts * 7) % 1000) / 100;

/** As `make.ts` fills it: a chunk with a frame and one without. */
const merged: Opened = {
  opens: true,
  from: null,
  samples: {
    a: span(0, 400).map(([ts]): Point => [ts, longValue(ts)]),
    b: [...span(0, 10), ...span(100, 10)],
  },
  annotations: 0,
  reasons: [],
};

/** Of five series one was kept, one came back, and one came in their place. */
const renewed: Opened = {
  opens: true,
  from: null,
  samples: { a: span(0, 10), c: span(50, 5), f: span(0, 10) },
  annotations: 0,
  reasons: [],
};

function opened(changes: Opened['samples']): Opened {
  return { ...whole, samples: { ...whole.samples, ...changes } };
}

/** One that a log with marks tells more of. */
function differing(
  name: string,
  { before, now }: Readonly<Record<'before' | 'now', Outcome>>,
  damage: Damage,
): GoldenCase {
  return { name, damage, outcome: (format) => (format === 1 ? before : now) };
}

/** Its files are 3, with three requests, 4, with two and a deletion and a note, and 5, with two. */
const wal = (number: number): string => `wal/000000000${number}.wal`;

const walCases: readonly GoldenCase[] = [
  always('whole', whole, () => undefined),
  always(
    'wal-torn-tail',
    opened({ c: span(0, 30) }),
    edit(wal(5), (log) => withoutEnd(log).subarray(0, -3)),
  ),
  always('wal-file-begun', whole, (directory) => {
    change(directory, wal(5), withoutEnd);
    writeFileSync(join(directory, wal(6)), 'sdb');
  }),
  always(
    'wal-flipped-in-the-middle',
    refused(wal(4), 'a damaged record', 'at offset'),
    edit(wal(4), (log) => flippedIn(log, dataOf(log)[0])),
  ),
  differing(
    'wal-flipped-in-the-last-record',
    { before: opened({ c: span(0, 30) }), now: refused(wal(5), 'a damaged record', 'at offset') },
    edit(wal(5), (log) => flippedIn(log, dataOf(log).at(-1))),
  ),
  differing(
    'wal-cut-with-later-files',
    {
      before: refused(wal(5), 'the last one of 0000000004.wal'),
      now: refused(
        wal(4),
        'is cut short',
        '0000000005.wal continues after records that are missing',
      ),
    },
    edit(wal(4), (log) => log.subarray(0, dataOf(log)[0]?.end)),
  ),
  always(
    'wal-torn-with-later-files',
    refused(
      wal(4),
      'ends in a torn record',
      '0000000005.wal continues after records that are missing',
    ),
    edit(wal(4), (log) => withoutEnd(log).subarray(0, -3)),
  ),
  always(
    'wal-record-spliced-out',
    refused(wal(4), 'instead of', 'at offset'),
    edit(wal(4), (log) => withoutRecord(log, dataOf(log)[1])),
  ),
  always(
    'wal-first-record-spliced-out',
    refused(wal(3), 'it does not follow'),
    edit(wal(3), (log) => withoutRecord(log, recordsOf(log)[0])),
  ),
  differing(
    'wal-newest-file-missing',
    { before: opened({ c: span(0, 25) }), now: refused(`${wal(5)} is missing`, '0000000004.wal') },
    remove(wal(5)),
  ),
  always('wal-middle-file-missing', refused(`${wal(4)} is missing`), remove(wal(4))),
  always(
    'wal-first-file-missing',
    refused(wal(3), 'is missing: ', 'names it as the first WAL file to replay'),
    remove(wal(3)),
  ),
  always(
    'wal-header-flipped',
    refused(wal(4), 'the log header is damaged', 'at offset 0'),
    edit(wal(4), (log) => flipped(log, 9)),
  ),
  // A deletion of two series whose numbers wrap: the highest, and then 0.
  always(
    'wal-tombstone-refs-wrap',
    refused(wal(5), 'tombstone: bad series ref'),
    edit(wal(5), (log) =>
      withRecord(withoutEnd(log), 3, [0, 20, 2, 0xff, 0xff, 0xff, 0xff, 0x0f, 0]),
    ),
  ),
];

function editSegment(number: number, editor: (bytes: Buffer) => Buffer): Damage {
  return (directory) => {
    change(directory, segmentFile(directory, number), editor);
  };
}

/** What tells of it in a sentence: from the first format with commits on its hash. */
const segmentName = (number: number, format: number): string =>
  format < commitFormat ? `000000000${number}.seg` : '';

/**
 * The first has the times 0 to 9 of a and b, the second the next day of a, b, e and f, the third,
 * up to format 4, another sample of f, which the second has since. Of what cannot be opened nobody
 * knows which series are in there.
 */
function firstLost(format: number, says: readonly string[]): Opened {
  const name = segmentName(1, format);
  return {
    ...opened({ a: span(dayMs, 10), b: span(dayMs, 10), c: span(10, 25) }),
    from: 10,
    lost: ['samples from 0 to 9', name],
    reasons: [[name, ...says]],
  };
}

function losingFirst(name: string, says: readonly string[], damage: Damage): GoldenCase {
  return { name, damage, outcome: (format) => firstLost(format, says) };
}

const segmentCases: readonly GoldenCase[] = [
  losingFirst(
    'segment-header-flipped',
    ['the header'],
    editSegment(1, (file) => flipped(file, 13)),
  ),
  losingFirst(
    'segment-footer-flipped',
    ["the footer's checksum"],
    editSegment(1, (file) => flipped(file, file.length - 50)),
  ),
  losingFirst(
    'segment-directory-flipped',
    ["the directory's checksum"],
    editSegment(1, (file) => flipped(file, file.length - 161)),
  ),
  {
    ...losingFirst(
      'segment-page-flipped',
      ['a page of the directory'],
      editSegment(1, (file) => flipped(file, file.length - 200)),
    ),
    since: pageFormat,
  },
  losingFirst(
    'segment-cut',
    ['the file ends here'],
    editSegment(1, (file) => file.subarray(0, -100)),
  ),
  losingFirst('segment-missing', ['No such file'], (directory) => {
    rmSync(join(directory, segmentFile(directory, 1)));
  }),
  losingFirst('segment-swapped', [], (directory, { foreign }) => {
    const bytes = readFileSync(join(foreign, segmentFile(foreign, 1)));
    change(directory, segmentFile(directory, 1), () => bytes);
  }),
  {
    name: 'segment-chunk-flipped',
    damage: editSegment(1, (file) => flipped(file, 25)),
    outcome: (format) => {
      const damaged = { says: [segmentName(1, format), 'samples from 0 to 9'] };
      return opened({ a: damaged, b: damaged });
    },
  },
];

/** What only the plain description lacks, where there is another. */
function plain(name: string, outcome: Outcome, damage: Damage): GoldenCase {
  return { ...always(name, outcome, damage), fromCommit: whole };
}

const otherCases: readonly GoldenCase[] = [
  plain(
    'manifest-flipped',
    refused('MANIFEST', 'a damaged record', 'at offset'),
    edit('MANIFEST', (log) => flippedIn(log, recordsOf(log)[1])),
  ),
  plain(
    'manifest-torn',
    refused('MANIFEST ends in a damaged record', '0000000002.wal, which is missing'),
    edit('MANIFEST', (log) => log.subarray(0, -3)),
  ),
  plain(
    'manifest-record-spliced-out',
    refused('MANIFEST', 'instead of', 'at offset'),
    edit('MANIFEST', (log) => withoutRecord(log, recordsOf(log)[1])),
  ),
  {
    name: 'manifest-stale',
    damage: (directory, { earlierManifest }) => {
      writeFileSync(join(directory, 'MANIFEST'), earlierManifest);
    },
    outcome: (format) =>
      refused(
        'MANIFEST is older than the data',
        '0000000002.wal, which is missing',
        segmentName(format < 5 ? 3 : 2, format),
      ),
    fromCommit: whole,
  },
  {
    name: 'manifest-swapped',
    damage: (directory, { foreign }) => {
      writeFileSync(join(directory, 'MANIFEST'), readFileSync(join(foreign, 'MANIFEST')));
    },
    // Segments of the same numbers tell it; those with hashes are missing, and the log tells it.
    outcome: (format) =>
      format < commitFormat
        ? refused('MANIFEST', 'another database')
        : refused('MANIFEST does not belong to this WAL'),
    fromCommit: whole,
  },
  plain('manifest-missing', refused('MANIFEST is missing'), remove('MANIFEST')),
  plain(
    'catalog-flipped',
    refused('CATALOG', 'a damaged record', 'at offset'),
    edit('CATALOG', (log) => flippedIn(log, recordsOf(log)[0])),
  ),
  {
    name: 'catalog-torn',
    damage: edit('CATALOG', (log) => log.subarray(0, -3)),
    outcome: (format) =>
      refused(`CATALOG: series number 2 is missing, but ${segmentName(2, format)}`, 'names it'),
    fromCommit: whole,
  },
  plain('catalog-missing', refused('CATALOG is missing'), remove('CATALOG')),
  plain(
    'annotations-flipped',
    refused('ANNOTATIONS'),
    edit('ANNOTATIONS', (log) => flippedIn(log, recordsOf(log)[0])),
  ),
  plain(
    'annotations-missing',
    refused('ANNOTATIONS holds 0 annotations of 1'),
    remove('ANNOTATIONS'),
  ),
  always(
    'root-flipped',
    refused('ROOT'),
    edit('ROOT', (file) => flipped(file, 12)),
  ),
  always('root-missing', refused('ROOT is missing'), remove('ROOT')),
  {
    name: 'retained',
    since: retentionFormat,
    damage: (directory, others) => {
      replaceBy(others.retained, directory);
    },
    // Since format 9 nothing goes in the first hour.
    outcome: (format) => {
      const first = format < commitFormat ? [] : span(0, 10);
      return { ...retained, samples: { a: [...first, ...span(40 * dayMs, 10)], b: span(0, 10) } };
    },
  },
  replaced('merged', merged, mergeFormat),
  always('segments-not-named', whole, (directory) => {
    writeFileSync(join(directory, 'segments/0000000007.seg'), 'of a flush that did not finish');
    writeFileSync(join(directory, 'segments/0000000008.seg.tmp'), 'the same');
  }),
];

/** Of commits: which of them is damaged only who believes them minds. */
const commitCases: readonly GoldenCase[] = [
  {
    ...always(
      'refs-flipped',
      { ...whole, reasons: [['REFS', 'quarantine']] },
      edit('REFS', (log) => flippedIn(log, recordsOf(log)[1])),
    ),
    since: commitFormat,
    fromCommit: refused('REFS', 'a damaged record', 'at offset'),
  },
  {
    ...always(
      'refs-torn',
      { ...whole, reasons: [['REFS', 'lacked edits']] },
      edit('REFS', (log) => log.subarray(0, -3)),
    ),
    since: commitFormat,
  },
  { ...always('refs-missing', whole, remove('REFS')), since: commitFormat },
  {
    ...always('objects-not-named', whole, (directory) => {
      const folder = join(directory, 'objects', '00');
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, '0'.repeat(62)), 'of a flush that did not finish');
      mkdirSync(join(directory, 'objects', 'tmp'), { recursive: true });
      writeFileSync(join(directory, 'objects', 'tmp', '0000000008'), 'the same');
    }),
    since: commitFormat,
  },
];

/** Of ROOT: the next feature that none has yet, at `offset`. */
function withFeature(root: Buffer, offset: number): Buffer {
  const later = Buffer.from(root.subarray(0, -4));
  later.writeUInt32LE(later.readUInt32LE(offset) | 2, offset);
  return Buffer.concat([later, checksumOf(later)]);
}

const rootCases: readonly GoldenCase[] = [
  ...[29, 33].map((offset) => ({
    ...always(
      `root-later-${offset === 29 ? 'to-read' : 'to-write'}`,
      refused('ROOT', 'newer seriesdb', 'unknown features'),
      edit('ROOT', (root) => withFeature(root, offset)),
    ),
    since: featureFormat,
  })),
  replaced(
    'backup',
    { opens: false, code: 'invalid_configuration', says: ['is a backup'] },
    featureFormat,
  ),
];

const renewedCases: readonly GoldenCase[] = (['renewed', 'restored'] as const).map((name) =>
  replaced(name, renewed, renewedFormat),
);

export const cases: readonly GoldenCase[] = [
  ...rootCases,
  ...renewedCases,
  ...walCases,
  ...segmentCases,
  ...otherCases,
  ...commitCases,
  ...noteCases,
  specialCase,
];
