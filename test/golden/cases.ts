/**
 * What is done to a whole directory, one case each, and what opening it must come to. The
 * directories are kept; a case is run again only to make them of a new format.
 *
 * A directory of format 1 has a write-ahead log without marks, which cannot tell everything. One of
 * format 2 has segments without the rests of sums, one of format 3 segments whose directory has no
 * pages. One of format 7 also has a MANIFEST that retention wrote in.
 */
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { dayMs } from './engine.js';
import {
  dataOf,
  flipped,
  flippedIn,
  recordsOf,
  withRecord,
  withoutEnd,
  withoutRecord,
} from './log-bytes.js';

import type { Opened, Outcome, Point, Refused } from './outcome.js';

/** What the maker has besides the directory. */
export interface Others {
  /** MANIFEST as it was after the first flush. */
  readonly earlierManifest: Buffer;
  /** The directory of another database. */
  readonly foreign: string;
  /** The directory of one that was compacted while samples of `a` were kept for 30 days. */
  readonly retained: string;
}

export interface GoldenCase {
  readonly name: string;
  damage(directory: string, others: Others): void;
  outcome(format: number): Outcome;
}

function change(directory: string, file: string, edit: (bytes: Buffer) => Buffer): void {
  const path = join(directory, file);
  writeFileSync(path, edit(readFileSync(path)));
}

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

/** What retention left, as `make.ts` fills it. */
const retained: Opened = {
  opens: true,
  from: null,
  samples: { a: span(40 * dayMs, 10), b: span(0, 10) },
  annotations: 0,
  reasons: [],
};

function opened(changes: Opened['samples']): Opened {
  return { ...whole, samples: { ...whole.samples, ...changes } };
}

function refused(...says: readonly string[]): Refused {
  return { opens: false, code: 'storage_corrupt', says };
}

type Damage = GoldenCase['damage'];

function always(name: string, outcome: Outcome, damage: Damage): GoldenCase {
  return { name, damage, outcome: () => outcome };
}

/** One that a log with marks tells more of. */
function differing(
  name: string,
  { before, now }: Readonly<Record<'before' | 'now', Outcome>>,
  damage: Damage,
): GoldenCase {
  return { name, damage, outcome: (format) => (format === 1 ? before : now) };
}

function edit(file: string, editor: (bytes: Buffer) => Buffer): Damage {
  return (directory) => {
    change(directory, file, editor);
  };
}

const remove =
  (file: string): Damage =>
  (directory) => {
    rmSync(join(directory, file));
  };

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
      before: refused(wal(5), 'does not follow the last one of 0000000004.wal'),
      now: refused(wal(4), 'is cut short', '0000000005.wal was written after more'),
    },
    edit(wal(4), (log) => log.subarray(0, dataOf(log)[0]?.end)),
  ),
  always(
    'wal-torn-with-later-files',
    refused(wal(4), 'ends in a torn record', '0000000005.wal was written after more'),
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
    refused(wal(3), 'the first log to replay as MANIFEST says, is missing'),
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

const segment = (number: number): string => `segments/000000000${number}.seg`;
/**
 * The first has the times 0 to 9 of a and b, the second the next day of a, b, e and f, the third,
 * up to format 4, another sample of f, which the second has since. Of what cannot be opened nobody
 * knows which series are in there.
 */
function firstLost(...says: readonly string[]): Opened {
  return {
    ...opened({ a: span(dayMs, 10), b: span(dayMs, 10), c: span(10, 25) }),
    from: 10,
    lost: ['samples from 0 to 9', '0000000001.seg'],
    reasons: [['0000000001.seg', ...says]],
  };
}

const segmentCases: readonly GoldenCase[] = [
  always(
    'segment-header-flipped',
    firstLost('the header'),
    edit(segment(1), (file) => flipped(file, 13)),
  ),
  always(
    'segment-footer-flipped',
    firstLost("the footer's checksum"),
    edit(segment(1), (file) => flipped(file, file.length - 50)),
  ),
  always(
    'segment-directory-flipped',
    firstLost("the directory's checksum"),
    edit(segment(1), (file) => flipped(file, file.length - 161)),
  ),
  always(
    'segment-page-flipped',
    firstLost('a page of the directory'),
    edit(segment(1), (file) => flipped(file, file.length - 200)),
  ),
  always(
    'segment-cut',
    firstLost('the file ends here'),
    edit(segment(1), (file) => file.subarray(0, -100)),
  ),
  always('segment-missing', firstLost('No such file'), remove(segment(1))),
  always('segment-swapped', firstLost(), (directory, { foreign }) => {
    change(directory, segment(1), () => readFileSync(join(foreign, segment(1))));
  }),
  always(
    'segment-chunk-flipped',
    opened({ a: { says: ['0000000001.seg', 'samples from 0 to 9'] } }),
    edit(segment(1), (file) => flipped(file, 30)),
  ),
];

const otherCases: readonly GoldenCase[] = [
  always(
    'manifest-flipped',
    refused('MANIFEST', 'a damaged record', 'at offset'),
    edit('MANIFEST', (log) => flippedIn(log, recordsOf(log)[1])),
  ),
  always(
    'manifest-torn',
    refused('MANIFEST ends in a damaged record', '0000000002.wal, which is gone'),
    edit('MANIFEST', (log) => log.subarray(0, -3)),
  ),
  always(
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
        '0000000002.wal, which is gone',
        `000000000${format < 5 ? '3' : '2'}.seg`,
      ),
  },
  always('manifest-swapped', refused('MANIFEST', 'another database'), (directory, { foreign }) => {
    writeFileSync(join(directory, 'MANIFEST'), readFileSync(join(foreign, 'MANIFEST')));
  }),
  always('manifest-missing', refused('MANIFEST is missing'), remove('MANIFEST')),
  always(
    'catalog-flipped',
    refused('CATALOG', 'a damaged record', 'at offset'),
    edit('CATALOG', (log) => flippedIn(log, recordsOf(log)[0])),
  ),
  always(
    'catalog-torn',
    refused('CATALOG: series number 2 is missing, but 0000000002.seg names it'),
    edit('CATALOG', (log) => log.subarray(0, -3)),
  ),
  always('catalog-missing', refused('CATALOG is missing'), remove('CATALOG')),
  always(
    'annotations-flipped',
    refused('ANNOTATIONS'),
    edit('ANNOTATIONS', (log) => flippedIn(log, recordsOf(log)[0])),
  ),
  always(
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
  always('retained', retained, (directory, others) => {
    rmSync(directory, { recursive: true });
    cpSync(others.retained, directory, { recursive: true });
    for (const name of ['LOCK', 'RESERVE']) rmSync(join(directory, name), { force: true });
  }),
  always('segments-not-named', whole, (directory) => {
    writeFileSync(join(directory, segment(7)), 'of a flush that did not finish');
    writeFileSync(join(directory, `${segment(8)}.tmp`), 'the same');
  }),
];

export const cases: readonly GoldenCase[] = [...walCases, ...segmentCases, ...otherCases];
