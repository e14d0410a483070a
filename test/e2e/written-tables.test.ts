/** `seriesdb ingest` of tables as people write them: local clocks, split dates, units, Excel. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { assert } from 'chai';

import { runCli, type CliResult } from '../support/cli.js';
import {
  killServers,
  removeDirectory,
  startServer,
  temporaryDirectory,
} from '../support/server.js';

describe('seriesdb ingest of hand-made tables', function () {
  this.timeout(120_000);
  let folder = '';
  let env: Record<string, string> = {};

  beforeEach(async () => {
    folder = temporaryDirectory();
    const server = await startServer({ dataDir: path.join(folder, 'data') });
    env = { SDB_URL: server.url };
  });
  afterEach(async () => {
    await killServers();
    removeDirectory(folder);
  });

  function write(name: string, rows: readonly string[]): string {
    const file = path.join(folder, name);
    writeFileSync(file, `${rows.join('\n')}\n`);
    return file;
  }

  const ingest = (...args: string[]): Promise<CliResult> => runCli(['ingest', ...args], { env });

  /** All samples, as `metric{labels} time value`, in the order of the export. */
  async function stored(): Promise<string[]> {
    const { out } = await runCli(['export'], { env });
    return out
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const { metric, labels, ts, value } = JSON.parse(line) as Record<string, unknown>;
        const time = new Date(Number(ts)).toISOString().slice(0, 16);
        return `${String(metric)}${JSON.stringify(labels ?? {})} ${time} ${String(value)}`;
      });
  }

  const berlin = ['--tz', 'Europe/Berlin'];

  it('resolves the repeated hour by the order of each series', async () => {
    const times = ['01:30', '02:00', '02:30', '02:00', '02:30', '03:00'];
    const rows = times.flatMap((time, at) =>
      ['a', 'b'].map((room) => `25.10.2026 ${time};${room};${String(at)}`),
    );
    const orders = { up: rows, down: [...rows].reverse() };
    for (const [name, ordered] of Object.entries(orders)) {
      const file = write(`${name}.csv`, ['Zeit;Raum;value', ...ordered]);
      const { code, err } = await ingest(...berlin, file);
      assert.deepEqual([code, err.trimEnd().split('\n').length], [0, 1], err);
      assert.notInclude(err, 'twice');
    }
    const all = await stored();
    for (const [metric, room] of ['up', 'down'].flatMap((one) => [
      [one, 'a'],
      [one, 'b'],
    ])) {
      const own = all.filter((line) =>
        line.startsWith(`${String(metric)}{"Raum":"${String(room)}"}`),
      );
      assert.deepEqual(
        own.map((line) => line.slice(line.indexOf(' ') + 1)),
        [
          ...['2026-10-24T23:30 0', '2026-10-25T00:00 1', '2026-10-25T00:30 2'],
          ...['2026-10-25T01:00 3', '2026-10-25T01:30 4', '2026-10-25T02:00 5'],
        ],
        `${String(metric)} ${String(room)}`,
      );
    }
  });

  it('skips nonexistent local times, and reports ambiguous ones', async () => {
    const file = write('t.csv', [
      'time,value',
      ...['2026-03-29 01:30,1', '2026-03-29 02:30,2', '2026-03-29 02:45,3', '2026-03-29 03:30,4'],
      ...['2026-10-25 01:00,5', '2026-10-25 02:00,6', '2026-10-25 03:00,7'],
    ]);
    const { code, err, out } = await ingest(...berlin, file);
    assert.strictEqual(code, 4, err);
    assert.include(err, 'skipped 2 local times that do not exist in Europe/Berlin (first: line 3)');
    assert.include(err, '1 local time comes twice in Europe/Berlin');
    assert.include(err, '(first: line 7)');
    assert.match(out, /^5 samples from/);
    const all = await stored();
    assert.lengthOf(all, 5);
    assert.include(all, 't{} 2026-03-29T01:30 4');
    assert.include(all, 't{} 2026-10-25T00:00 6');
  });

  it('names the zone that it assumes for times without one', async () => {
    const local = write('l.csv', ['time,value', '2026-01-01 00:00:00,1']);
    assert.include((await ingest('--dry-run', local)).out, 'in UTC; --tz names another zone');
    const zoned = write('z.csv', [
      'time,value',
      '2026-01-01T00:00:00Z,1',
      '2026-01-01 02:00+02:00,1',
    ]);
    assert.notInclude((await ingest('--dry-run', zoned)).out, 'UTC');
  });

  it('joins a date column and a time column, and makes neither a label', async () => {
    const file = write('two.csv', [
      'Date,Time,Temp,Hum',
      ...['11/28/2026,9:05 AM,1,2', '11/28/2026,1:15 PM,3,4'],
    ]);
    const { err } = await ingest(file);
    assert.include(err, 'time = Date + Time (MM/DD/YYYY');
    assert.sameMembers(await stored(), [
      ...['two.Temp{} 2026-11-28T09:05 1', 'two.Temp{} 2026-11-28T13:15 3'],
      ...['two.Hum{} 2026-11-28T09:05 2', 'two.Hum{} 2026-11-28T13:15 4'],
    ]);
    const named = await ingest('--dry-run', '--time', 'Time', file);
    assert.include(named.out, 'time = Date + Time (MM/DD/YYYY');
    const alone = write('a.csv', ['ts,Uhrzeit,value', '1700000000,10:00,1', '1700000060,10:01,2']);
    const refused = await ingest(alone);
    assert.strictEqual(refused.code, 1);
    assert.include(refused.err, 'the column "Uhrzeit" holds times of day');
  });

  it('parses numbers with a unit as values', async () => {
    const file = write('u.csv', [
      'time,cpu,mem',
      ...['2026-01-01,12.5%,3.2 GB', '2026-01-02,13%,4 GB', '2026-01-03,n/a,5 MB'],
    ]);
    const { err, code } = await ingest('--on-error', 'skip', file);
    assert.include(err, 'cpu (without "%"), mem (without "GB") → metrics u.*');
    assert.include(err, '"5 MB" in column "mem" is not a number');
    assert.strictEqual(code, 4);
    assert.sameMembers(await stored(), [
      ...['u.cpu{} 2026-01-01T00:00 12.5', 'u.cpu{} 2026-01-02T00:00 13'],
      ...['u.mem{} 2026-01-01T00:00 3.2', 'u.mem{} 2026-01-02T00:00 4'],
    ]);
    const mixed = write('m.csv', ['time,v,mem', '2026-01-01,1,1 GB', '2026-01-02,2,2 MB']);
    assert.include((await ingest(mixed)).err, 'holds numbers in several units, "GB", "MB"');
    const band = write('b.csv', ['time,v,band', '2026-01-01,1,5GHz', '2026-01-02,2,5GHz']);
    assert.include((await ingest('--dry-run', band)).out, 'labels band');
  });

  it('reads the "sep=" line of Excel, and skips columns that --value does not name', async () => {
    const file = write('e.csv', [
      ...['sep=;', 'Zeit;Leistung;Temperatur;Bemerkung'],
      ...['2026-01-01 00:00;1,5;20,5;', '2026-01-01 01:00;x;21,5;', '2026-01-01 02:00;2;22,5;'],
    ]);
    const { err, out } = await ingest('--value', 'Temperatur', file);
    assert.include(err, 'left out Leistung (not named by --value), Bemerkung (empty)');
    assert.match(out, /^3 samples from 1 input/);
    const stopped = await ingest('--value', 'Leistung', '--metric', 'p', file);
    assert.include(stopped.err, 'e.csv:4: "x" in column "Leistung" is not a number');
    const dry = await ingest('--dry-run', file);
    assert.include(dry.out, 'judged by the first 3 rows alone');
  });

  it('reports unstored lines, how to continue, and counts with their nouns', async () => {
    const file = write('k.csv', ['time,value', '2026-01-01,1', '2026-01-02,2,3', '2026-01-03,3']);
    const { err } = await ingest(file);
    assert.include(err, 'k.csv:3: it has 3 cells for 2 columns (invalid_record); nothing of');
    assert.include(err, '--on-error skip leaves out such lines');
    const skipped = await ingest('--on-error', 'skip', file);
    assert.match(skipped.out, /^2 samples from 1 input in [\d.]+ s, 1 line skipped$/m);
    const bad = write('c.csv', ['time,value', '2026-01-01,1', '2026-01-02,x', '2026-01-03,3']);
    const cells = await ingest('--on-error', 'skip', bad);
    assert.match(cells.out, / s, 1 cell skipped$/m);
  });

  it('reports samples without a time only if there are some', async () => {
    const timed = write('a.lp', ['cpu load=1 1700000000', 'cpu load=2 1700000060']);
    assert.notInclude((await ingest('--dry-run', timed)).out, 'without a time');
    const half = write('b.lp', ['cpu load=1 1700000000', 'cpu load=2']);
    assert.include((await ingest('--dry-run', half)).out, 'samples without a time get');
  });
});
