/** The cards about stored data, log, process and configuration. */

import { moments, slowest, type ServerView } from '../data/figures.js';
import { figureOf } from '../exposition.js';
import { signsOf, slowLoopSeconds, slowSyncSeconds } from '../server-signs.js';
import { printCount, printSeconds, printValue } from '../units.js';
import { Card, Facts } from '../widgets/card.js';
import { Sparkline } from '../widgets/sparkline.js';

interface ServerCardOptions {
  readonly view: ServerView;
}

const bytes = (value = 0): string => printValue(value, 'bytes');
const count = (value = 0): string => printCount(value);
export const secondsText = (seconds: number | null): string =>
  seconds === null ? '–' : printSeconds(seconds);

export function StoredCard({ view: { status, between } }: ServerCardOptions) {
  const { storage } = status;
  const { memtable_samples: inMemory = 0, segment_samples: inSegments = 0 } = storage;
  const free = storage['disk_free_bytes'];
  return (
    <Card title="Stored" signs={signsOf('stored', between)}>
      <Facts
        facts={[
          ['Series', count(storage['series'])],
          ['Samples', count(inMemory + inSegments)],
          ['Segments', `${count(storage['segments'])}, ${bytes(storage['segment_bytes'])}`],
          ['Damaged segments', count(storage['segments_quarantined'])],
          ['Free disk space', free === undefined ? 'unknown' : bytes(free)],
        ]}
      />
    </Card>
  );
}

export function LogCard({ view }: ServerCardOptions) {
  const { status, between } = view;
  const { wal_append_total: appends = 0, wal_append_seconds_total: seconds = 0 } = status.runtime;
  const sync = slowest(view, 'sync');
  const slow = sync !== null && sync > slowSyncSeconds ? ['The disk is slow.'] : [];
  return (
    <Card title="WAL" signs={[...slow, ...signsOf('log', between)]}>
      <Facts
        facts={[
          ['fsync p99', secondsText(sync)],
          ['Mean write since start', secondsText(appends === 0 ? null : seconds / appends)],
          ['WAL on disk', bytes(status.storage['wal_disk_bytes'])],
          ['Flushes', count(status.runtime['flush_total'])],
        ]}
      />
    </Card>
  );
}

export function ProcessCard({ view }: ServerCardOptions) {
  const { between } = view;
  const loop = slowest(view, 'loop');
  const isHeldUp = loop !== null && loop > slowLoopSeconds;
  const open = figureOf(between.now, 'process_open_fds');
  const most = figureOf(between.now, 'process_max_fds');
  const last = moments.value.at(-1);
  return (
    <Card
      title="Process"
      signs={isHeldUp ? ['The event loop is delayed.'] : signsOf('process', between)}
    >
      <Sparkline
        name="CPU, since this tab opened"
        values={moments.value.map(({ cpuShare }) => cpuShare)}
      />
      <Facts
        facts={[
          ['CPU (1 core = 100 %)', last === undefined ? '–' : percent(last.cpuShare)],
          ['Memory', bytes(figureOf(between.now, 'process_resident_memory_bytes'))],
          ['Event-loop delay p99', secondsText(loop)],
          ['Open files', `${count(open)} of ${count(most)}`],
        ]}
      />
    </Card>
  );
}

const percent = (share: number): string => printValue(Math.round(share * 1000) / 10, 'percent');

export function SetUpCard({ view: { status } }: ServerCardOptions) {
  return (
    <Card title="Settings">
      <Facts
        facts={[
          ['Timestamp unit', status.timestamp_unit],
          ['Token required', status.auth_required ? 'yes' : 'no'],
          ['Metadata mode', status.cas_mode],
          ['Metadata read from', status.metadata_read_mode],
          ['Query engine', status.query_compiler_mode],
        ]}
      />
    </Card>
  );
}

const debtWords: Readonly<Record<string, string>> = {
  legacy_segment_descriptors: 'Segments with old names',
  legacy_wal_descriptors: 'WAL files with old names',
  loose_refs_present: 'Loose references',
};

/** Data in formats of older versions, until it is migrated. */
export function DebtCard({ view: { status } }: ServerCardOptions) {
  const debts = Object.entries(status.compatibility_debt);
  const isFree = debts.every(([, value]) => value === 0);
  return (
    <Card title="Left to migrate">
      {isFree ? <p class="quiet">Nothing is left to migrate.</p> : null}
      <Facts facts={debts.map(([name, value]) => [debtWords[name] ?? name, count(value)])} />
    </Card>
  );
}
