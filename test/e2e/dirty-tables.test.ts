/** `seriesdb ingest` of tables as programs and people write them: dirt, German Excel, previews. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { assert } from 'chai';

import { runCli, type CliResult } from '../support/cli.js';
import { Random, testSeed } from '../support/random.js';
import {
  killServers,
  removeDirectory,
  startServer,
  temporaryDirectory,
  type Server,
} from '../support/server.js';

const benchmark = fileURLToPath(new URL('../../../../shared/data/nab', import.meta.url));

describe('seriesdb ingest of dirty tables', function () {
  this.timeout(120_000);
  let folder = '';
  let server: Server;
  let env: Record<string, string> = {};

  beforeEach(async () => {
    folder = temporaryDirectory();
    server = await startServer({ dataDir: path.join(folder, 'data') });
    env = { SDB_URL: server.url };
  });
  afterEach(async () => {
    await killServers();
    removeDirectory(folder);
  });

  function write(name: string, content: string | Uint8Array): string {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
    return file;
  }

  const ingest = (...args: string[]): Promise<CliResult> => runCli(['ingest', ...args], { env });

  /** All samples, as `metric{labels} time value`. */
  async function stored(): Promise<readonly string[]> {
    const { out } = await runCli(['export'], { env });
    const lines = out.split('\n').filter((line) => line !== '');
    return lines.map((line) => {
      const { metric, labels, ts, value } = JSON.parse(line) as Record<string, unknown>;
      const time = new Date(Number(ts)).toISOString().replace('.000Z', 'Z');
      return `${String(metric)}${JSON.stringify(labels ?? {})} ${time} ${String(value)}`;
    });
  }

  it('loads a year of hourly rows with bad cells, cell by cell', async () => {
    const random = new Random(testSeed);
    const dirt = ['NaN', 'n/a', '-', '', 'null', '#N/A', '  '];
    const rows: string[] = [];
    let [clean, bad] = [0, 0];
    const cell = (value: number): string => {
      if (random.below(10) === 0) return dirt[random.below(dirt.length)] ?? '';
      if (random.below(200) === 0) {
        bad += 1;
        return 'sensor offline';
      }
      clean += 1;
      return value.toFixed(2);
    };
    for (let hour = 0; hour < 8_760; hour += 1) {
      const time = new Date(Date.UTC(2025, 0, 1, hour)).toISOString().slice(0, 19);
      const note = hour % 900 === 450 ? `replaced part ${String(hour)}` : '';
      const [temp, flow] = [cell(hour / 100), cell(hour)];
      rows.push(`${time.replace('T', ' ')},${temp},${flow},north,${note},`);
    }
    const file = write('plant.csv', `time,temp,flow,site,remark,spare\n${rows.join('\n')}\n`);
    const { code, err, out } = await ingest('--on-error', 'skip', '--json', file);
    assert.include(
      err,
      'temp, flow → metrics plant.*, labels site, left out remark (mostly empty), spare (empty)',
    );
    assert.strictEqual(code, 4, `seed ${String(testSeed)}`);
    assert.deepInclude(JSON.parse(out) as object, { ingested: clean, rejected: 0 });
    const lines = err.trimEnd().split('\n');
    assert.lengthOf(lines, 13, err);
    assert.match(lines[1] ?? '', /plant\.csv:\d+: "sensor offline" in column "temp|flow" is no/);
    assert.match(
      lines[11] ?? '',
      /: \d[\d,]* cells have a word for a missing number, such as n\/a/,
    );
    assert.match(lines[12] ?? '', /^\d[\d,]* more cells skipped$/);
    assert.isAbove(bad, 20);
    const all = await stored();
    assert.lengthOf(all, clean);
    assert.isTrue(all.every((line) => line.includes('{"site":"north"}')));
  });

  it('stops at an unknown word, and accepts it as a null by --null', async () => {
    const file = write('t.csv', 'time,a,b\n2026-01-01,1,2\n2026-01-02,off,3\n2026-01-03,4,5\n');
    const stopped = await ingest(file);
    assert.strictEqual(stopped.code, 1);
    assert.include(stopped.err, 't.csv:3: "off" in column "a" is not a number');
    assert.include(stopped.err, '--null off');
    assert.deepEqual(await stored(), []);
    const { code, err } = await ingest('--null', 'OFF', file);
    assert.strictEqual(code, 0, err);
    assert.include(err, 't.csv: 1 cell has a word for a missing number');
    assert.lengthOf(await stored(), 5);
  });

  it('refuses to guess a label of numbers, or of more than a thousand values', async () => {
    const rows = (count: number, cells: (at: number) => string): string =>
      Array.from({ length: count }, (_, at) => `${String(1_700_000_000 + at)},${cells(at)}\n`).join(
        '',
      );
    const numeric = await ingest(write('n.csv', `time,value,room\n${rows(9, () => '1,17')}`));
    assert.strictEqual(numeric.code, 1);
    assert.include(numeric.err, 'the column "room" holds numbers, which are seldom labels');
    assert.include(numeric.err, '--value room, --labels room or --ignore room');
    // Early, and after first texts that do not show it.
    for (const [count, from] of [
      [1_001, 0],
      [40_000, 30_000],
    ] as const) {
      const text = rows(count, (at) => `1,x${String(Math.max(at - from, 0))}`);
      const many = await ingest(write('m.csv', `time,value,request\n${text}`));
      assert.deepEqual([many.code, from], [1, from]);
      assert.include(many.err, 'the column "request" has more than 1,000 different texts');
      assert.include(many.err, '--labels request');
    }
    assert.deepEqual(await stored(), []);
    const fits = await ingest(
      write('m.csv', `time,value,who\n${rows(1_000, (at) => `1,x${String(at)}`)}`),
    );
    assert.strictEqual(fits.code, 0, fits.err);
    const file = write('m.csv', `time,value,who\n${rows(1_001, (at) => `1,x${String(at)}`)}`);
    assert.strictEqual((await ingest('--labels', 'who', '--no-resume', file)).code, 0);
    assert.lengthOf(await stored(), 1_001);
  });

  it('loads its own export again, whatever the labels', async () => {
    const file = write('own.csv', 'ts_ms,metric,value,shard\n1700000000000,cpu,1,7\n');
    const { code, err } = await ingest(file);
    assert.strictEqual(code, 0, err);
    assert.deepEqual(await stored(), ['cpu{"shard":"7"} 2023-11-14T22:13:20Z 1']);
  });

  it('loads a German Excel export, in its code page and time zone', async () => {
    const text =
      'Datum;Außentemperatur;Verbrauch;Gebäude\r\n' +
      '28.03.2026 23:00;-1,5;1.234,75;Süd\r\n' +
      '29.03.2026 03:00;#NV;12;Süd\r\n' +
      '29.11.2026;1,25;0,5;Nord\r\n';
    const file = write('werk.csv', Buffer.from(text, 'latin1'));
    const { code, err } = await ingest('--tz', 'Europe/Berlin', file);
    assert.strictEqual(code, 0, err);
    assert.include(err, 'CSV, Windows-1252, decimal commas, time = Datum (DD.MM.YYYY[ hh:mm[:ss]]');
    assert.sameMembers(
      [...(await stored())],
      [
        'werk.Außentemperatur{"Gebäude":"Süd"} 2026-03-28T22:00:00Z -1.5',
        'werk.Verbrauch{"Gebäude":"Süd"} 2026-03-28T22:00:00Z 1234.75',
        'werk.Verbrauch{"Gebäude":"Süd"} 2026-03-29T01:00:00Z 12',
        'werk.Außentemperatur{"Gebäude":"Nord"} 2026-11-28T23:00:00Z 1.25',
        'werk.Verbrauch{"Gebäude":"Nord"} 2026-11-28T23:00:00Z 0.5',
      ],
    );
  });

  it('asks how to read an ambiguous date, and obeys --date-format and --decimal', async () => {
    const file = write('us.csv', 'when\tkwh\n3/4/2026 1:05 PM\t1,234\n');
    const asked = await ingest('--time', 'when', file);
    assert.strictEqual(asked.code, 1);
    assert.include(asked.err, "--date-format 'DD/MM/YYYY[ hh:mm[:ss] A]' or --date-format 'MM/DD/");
    const told = ['--date-format', 'MM/DD/YYYY hh:mm A', '--decimal', ','];
    assert.strictEqual((await ingest(...told, file)).code, 0);
    assert.deepEqual(await stored(), ['us.kwh{} 2026-03-04T13:05:00Z 1.234']);
    const sure = write('sure.csv', 'when,kwh\n3/4/2026,"1,234.5"\n3/14/2026,2\n');
    assert.strictEqual((await ingest(sure)).code, 0);
    assert.includeMembers([...(await stored())], ['sure.kwh{} 2026-03-04T00:00:00Z 1234.5']);
    for (const words of [
      ['--date-format', 'hh:mm'],
      ['--decimal', ';'],
      ['--tz', 'Mars/Olympus'],
    ]) {
      assert.strictEqual((await ingest(...words, file)).code, 2, words.join(' '));
    }
  });

  it('takes the format of most dates, reads the others, and counts missing cells', async () => {
    const rows = [
      '28.11.2026 01:00;1.234;n/a',
      '2026-11-28 02:00;1.300;-',
      '28.11.2026 03:00;1.5;7',
    ];
    const file = write('mixed.csv', ['zeit;temp;flow', ...rows, ''].join('\n'));
    const { code, err } = await ingest(file);
    assert.strictEqual(code, 0, err);
    assert.include(err, '2 cells have a word for a missing number, such as n/a (first: line 2)\n');
    assert.sameMembers(
      [...(await stored())],
      [
        'mixed.temp{} 2026-11-28T01:00:00Z 1.234',
        'mixed.temp{} 2026-11-28T02:00:00Z 1.3',
        'mixed.temp{} 2026-11-28T03:00:00Z 1.5',
        'mixed.flow{} 2026-11-28T03:00:00Z 7',
      ],
    );
  });

  it('--dry-run shows what would be stored, without a server, and stores nothing', async () => {
    const rows = Array.from(
      { length: 9 },
      (_, at) => `0${String(at + 1)}.11.2026 01:00;${String(at)},5;k\n`,
    );
    const file = write(
      'd.csv',
      `Datum;Wert;Ort;leer\n${rows.map((row) => row.replace('\n', ';\n')).join('')}`,
    );
    const away = { env: { SDB_URL: 'http://127.0.0.1:9' } };
    const { code, out, err } = await runCli(['ingest', '--dry-run', file], away);
    assert.deepEqual([code, err], [0, '']);
    const squeezed = out.replaceAll(/ +/g, ' ');
    for (const line of [
      'Datum time DD.MM.YYYY[ hh:mm[:ss]] in UTC; --tz names another zone',
      'Wert value number, decimal comma',
      'Ort label text, 1 value',
      'leer left out empty',
      '2026-11-01T01:00:00.000Z {Ort="k"} d.Wert=0.5',
      '2026-11-05T01:00:00.000Z {Ort="k"} d.Wert=4.5',
    ]) {
      assert.include(squeezed, `\n${line}\n`);
    }
    assert.notInclude(out, '2026-11-06');
    const json = await runCli(['ingest', '--dry-run', '--json', file], away);
    const { columns, rows: shown } = JSON.parse(json.out) as {
      readonly columns: readonly unknown[];
      readonly rows: readonly unknown[];
    };
    assert.deepEqual([columns.length, shown.length], [4, 5]);
    assert.deepEqual(await stored(), []);
  });

  it('--dry-run says why no row can be read', async () => {
    const file = write('wide.csv', 'time,a\n2026-11-01,1,9\n2026-11-02,2,9\n');
    const { code, err } = await runCli(['ingest', '--dry-run', file], { env });
    assert.strictEqual(code, 4);
    const reason = 'it has 3 cells for 2 columns';
    assert.strictEqual(err, `no line can be read; ${file}, line 2: ${reason}\n`);
  });

  it('--dry-run shows a character whose bytes came in two pieces', async () => {
    // Input is read by pieces of an even size, and each character begins at an odd byte.
    const long = 'ü'.repeat(200_000);
    const line = JSON.stringify({ metric: 'm', ts: 1, value: 1, labels: { a: long } });
    const input = `${line.indexOf('ü') % 2 === 0 ? ' ' : ''}${line}\n`;
    const { code, out, err } = await runCli(['ingest', '--dry-run', '--json'], { env, input });
    assert.deepEqual([code, err], [0, '']);
    assert.isTrue(out.includes(long), out.slice(0, 200));
  });

  it('loads every real table of the benchmark at once without a warning', async function () {
    let names: readonly string[] = [];
    try {
      names = readdirSync(benchmark, { recursive: true }).map(String);
    } catch {
      this.skip();
    }
    const count = names.filter((name) => name.endsWith('.csv')).length;
    const { code, err, out } = await ingest('--no-resume', '--json', benchmark);
    assert.strictEqual(code, 0, err);
    assert.deepInclude(JSON.parse(out) as object, { rejected: 0, inputs: count });
  });

  it('prints ten bad lines of a load of several files, and counts the rest', async () => {
    const bad = 'time,value\n2026-01-01,1\n' + 'x,1\n'.repeat(30);
    const files = ['a', 'b'].map((name) => write(`${name}.csv`, bad));
    const { code, err } = await ingest('--on-error', 'skip', '--no-resume', ...files);
    assert.strictEqual(code, 4);
    const lines = err.trimEnd().split('\n');
    assert.lengthOf(lines, 13, err);
    assert.strictEqual(lines[12], '50 more lines skipped');
  });
});
