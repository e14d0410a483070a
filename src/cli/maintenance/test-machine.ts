/** Tests of the machine: its clock, its limits, its loopback interface and its disk. */

import { closeSync, fdatasyncSync, openSync, statfsSync, writeSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { descriptorLimit, softLimit } from '../../telemetry/descriptors.js';
import { availableBytes } from '../../telemetry/process-memory.js';

import { withWarnings, type TestFinding } from '../../common/model/finding.js';
import type { TestPlace } from './test-place.js';

const kGiB = 1024 ** 3;
const kMiB = 1024 ** 2;

const inMs = (nanoseconds: bigint): number => Number(nanoseconds) / 1e6;

/** Program, processor and system, as a report of a bug needs them. */
export function tellMachine(): TestFinding {
  const [processor] = os.cpus();
  // Else the report asks for names of addresses. Older versions of Node.js lack it.
  const report: NodeJS.ProcessReport & { excludeNetwork?: boolean } = process.report;
  report.excludeNetwork = true;
  const { header } = report.getReport() as { readonly header: Readonly<Record<string, unknown>> };
  const glibc = header['glibcVersionRuntime'];
  const library = typeof glibc === 'string' ? `glibc ${glibc}` : 'another C library than glibc';
  const model = processor?.model.trim() ?? 'unknown processor';
  const parts = [
    `Node.js ${process.versions.node}`,
    `${process.platform} ${os.release()} ${process.arch}`,
    library,
    `${String(os.availableParallelism())} × ${model}`,
    `${(availableBytes() / kGiB).toFixed(1)} GiB`,
  ];
  return { verdict: 'ok', text: parts.join(', ') };
}

const kClockMs = 500;
const kDriftMaxMs = 20;
/** Earlier than any version of this program. */
const kEarliest = Date.UTC(2025, 0);

/** The wall clock, beside the one that only goes forward. */
export async function testClock(): Promise<TestFinding> {
  const began = process.hrtime.bigint();
  const wallBegan = Date.now();
  await sleep(kClockMs);
  const passedMs = inMs(process.hrtime.bigint() - began);
  const driftMs = Math.abs(Date.now() - wallBegan - passedMs);
  const now = new Date();
  if (now.getTime() < kEarliest) {
    const text = `the clock says ${now.toISOString()}; samples without a time would get that time`;
    return { verdict: 'failed', text };
  }
  const warnings =
    driftMs > kDriftMaxMs
      ? [`the clock was set while it was watched, by ${driftMs.toFixed(0)} ms`]
      : [];
  return withWarnings(now.toISOString(), warnings, { drift_ms: driftMs });
}

const kFilesMin = 4096;
const kThreadsMin = 128;

/** What the system lets one process have. */
export async function testLimits(): Promise<TestFinding> {
  const files = await descriptorLimit();
  const threads = await softLimit('Max processes');
  const space = await softLimit('Max address space');
  const memory = availableBytes();
  const warnings = [
    ...(files !== null && files < kFilesMin
      ? [`connections and files share ${String(files)} descriptors (ulimit -n)`]
      : []),
    ...(threads !== null && threads < kThreadsMin
      ? [`at most ${String(threads)} threads (ulimit -u)`]
      : []),
    ...(space === null
      ? []
      : ['the address space is limited (ulimit -v), and segments are mapped']),
    ...(memory < 512 * kMiB ? ['less than 512 MiB of memory'] : []),
  ];
  const shown = (limit: number | null): string => (limit === null ? 'no limit of' : String(limit));
  const text = `${shown(files)} open files, ${shown(threads)} threads, ${(memory / kMiB).toFixed(0)} MiB`;
  return withWarnings(text, warnings, {
    memory_bytes: memory,
    ...(files === null ? {} : { open_files: files }),
  });
}

const kRoundTrips = 500;

/** Round trips of a byte over a socket of this machine. */
export async function testLoopback(): Promise<TestFinding> {
  const server = createServer((socket) => {
    socket.setNoDelay().pipe(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client: Socket = connect(port, '127.0.0.1').setNoDelay();
  try {
    await once(client, 'connect');
    const times: number[] = [];
    for (let at = 0; at < kRoundTrips; at += 1) {
      const began = process.hrtime.bigint();
      client.write('x');
      await once(client, 'data');
      times.push(inMs(process.hrtime.bigint() - began));
    }
    const { p50, p99 } = percentiles(times);
    const text = `a byte there and back in ${p50.toFixed(3)} ms (p50), ${p99.toFixed(3)} ms (p99)`;
    return withWarnings(text, [], { p50_ms: p50, p99_ms: p99 });
  } finally {
    client.destroy();
    server.close();
  }
}

function percentiles(times: number[]): { readonly p50: number; readonly p99: number } {
  times.sort((one, other) => one - other);
  const at = (part: number): number => times[Math.floor(part * times.length)] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
}

/** Numbers of statfs(2), and what is surprising about the file systems behind them. */
const fileSystems: Readonly<Record<number, readonly [string, string?]>> = {
  [0xef53]: ['ext4'],
  [0x58465342]: ['xfs'],
  [0x9123683e]: ['btrfs'],
  [0xf2f52010]: ['f2fs'],
  [0x2fc12fc1]: ['zfs'],
  [0x794c7630]: ['overlay', 'a container’s own layer goes with the container: use a volume'],
  [0x01021994]: ['tmpfs', 'what it stores is lost when the machine stops'],
  [0x6969]: ['nfs', 'a network file system may lose what it has confirmed'],
  [0xff534d42]: ['cifs', 'a network file system may lose what it has confirmed'],
  [0x65735546]: ['fuse', 'its program decides whether data is durable'],
};

const kSyncs = 200;
const kSyncsMaxMs = 3000;
const kSlowSyncMs = 20;
/** No disk writes 4 KiB in less. */
const kFalseSyncMs = 0.005;

/** Syncs of small appends, as the WAL makes them, and the room that is left. */
export function testDisk({ folder, signal }: TestPlace): TestFinding {
  const { type, bavail, bsize } = statfsSync(folder);
  const [name, surprise] = fileSystems[type] ?? [`file system 0x${type.toString(16)}`];
  const freeBytes = bavail * bsize;
  const block = Buffer.alloc(4096, 'x');
  const times: number[] = [];
  const descriptor = openSync(path.join(folder, 'appends'), 'a');
  try {
    const end = Date.now() + kSyncsMaxMs;
    while (times.length < kSyncs && Date.now() < end) {
      signal.throwIfAborted();
      const began = process.hrtime.bigint();
      writeSync(descriptor, block);
      fdatasyncSync(descriptor);
      times.push(inMs(process.hrtime.bigint() - began));
    }
  } finally {
    closeSync(descriptor);
  }
  const { p50, p99 } = percentiles(times);
  const isFalse = p50 < kFalseSyncMs && surprise === undefined;
  const warnings = [
    ...(surprise === undefined ? [] : [surprise]),
    ...(p50 > kSlowSyncMs ? ['with fsync = "always" each acknowledgement waits that long'] : []),
    ...(isFalse ? ['no disk is that quick: are its writes only in memory?'] : []),
    ...(freeBytes < kGiB ? ['less than 1 GiB is free'] : []),
  ];
  const text =
    `${name}, ${(freeBytes / kGiB).toFixed(1)} GiB free, ` +
    `a synced append in ${p50.toFixed(3)} ms (p50), ${p99.toFixed(3)} ms (p99)`;
  const figures = { file_system: name, free_bytes: freeBytes, p50_ms: p50, p99_ms: p99 };
  return withWarnings(text, warnings, figures);
}
