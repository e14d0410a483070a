/** Tables that are sent as they are leave the database as their lines do, row for row. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { inspect } from 'node:util';

import { assert } from 'chai';

import { parametersOf } from '../../src/cli/loading/plain-table.js';
import { ingestLines, type IngestWishes } from '../../src/cli/loading/ingest-input.js';
import { Load } from '../../src/cli/loading/load.js';
import { tableLines } from '../../src/cli/loading/table-load.js';
import { CommandFailure } from '../../src/cli/session/failure.js';
import { SeriesDbError } from '../../src/client/client.js';
import { toAppError } from '../../src/common/errors/app-error.js';
import { open, type Database } from '../../src/embedded.js';
import { parseColumns, parseLabels } from '../../src/http/protocols/csv/columns.js';

import { maximumTs, minimumTs } from '../support/client.js';
import { Random, testSeed } from '../support/random.js';
import { removeDirectory, temporaryDirectory } from '../support/server.js';

import type { Input } from '../../src/cli/loading/input.js';
import type { LoadTarget } from '../../src/cli/loading/target.js';
import type { ClientContext } from '../../src/cli/session/client-context.js';
import type { TimestampUnit } from '../../src/common/model/timestamp-unit.js';

/** The ways of a table: as it is where the server reads it, and as lines only. */
type Way = 'rows' | 'lines';

interface Case {
  readonly bytes: Buffer;
  readonly command: 'ingest' | 'import';
  readonly isLenient: boolean;
  readonly unit: TimestampUnit;
  readonly batchBytes: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly isNamed: boolean;
}

interface Outcome {
  readonly code: number;
  /** What was printed, without the time that it took. */
  readonly told: string;
  readonly failure: string;
  readonly samples: readonly string[];
  /** The samples that were stored from rows as they are. */
  readonly fromRows: number;
}

function targetOf(database: Database, unit: TimestampUnit, note: (count: number) => void) {
  const asServer = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (cause) {
      const { code, status, message } = toAppError(cause);
      throw new SeriesDbError({ code, status, message, retryAfterMs: null, cause });
    }
  };
  const target: LoadTarget = {
    ...{ name: 'here', isOwn: false, close: () => Promise.resolve() },
    unit: () => Promise.resolve(unit),
    ingest: (lines, options) => asServer(() => database.ingest(lines, options)),
    importCsv: (rows, form) =>
      asServer(async () => {
        // As a server reads the address.
        const { columns, labels } = { labels: undefined, ...parametersOf(form) };
        const read = parseColumns(columns).map(({ kind, name }) => ({ kind, name }));
        assert.deepEqual(read, form.columns);
        const pairs = Object.fromEntries(labels === undefined ? [] : parseLabels(labels));
        assert.deepEqual(pairs, form.labels);
        const report = await database.importCsv(rows, form);
        note(report.ingested);
        return report;
      }),
  };
  return target;
}

async function samplesOf(database: Database): Promise<readonly string[]> {
  const all: string[] = [];
  for (const described of await database.findMetrics({})) {
    const { metric } = described;
    all.push(inspect(described, { breakLength: Infinity }));
    for (const { series_id: id, labels } of await database.findSeries({ metric })) {
      const range = { series_id: id, start: minimumTs, end: maximumTs };
      for (const [ts, value] of (await database.range(range)).map((one) => [one.ts, one.value])) {
        const shown = Object.is(value, -0) ? '-0' : String(value);
        all.push(`${metric}${JSON.stringify(labels)} ${String(ts)} ${shown}`);
      }
    }
  }
  return all.sort();
}

async function loaded(file: string, test: Case, way: Way, stop?: AbortSignal): Promise<Outcome> {
  const folder = temporaryDirectory();
  const database = await open(path.join(folder, 'data'), { timestamp_unit: test.unit });
  const told: string[] = [];
  let fromRows = 0;
  const write = (text: string): void => {
    // Only the server that got a time in the table's unit can tell that the unit seems wrong.
    if (!text.startsWith('warning: the time stored as')) told.push(text.replace(/ in .* s/, ''));
  };
  const { signal } = new AbortController();
  const terminal = {
    ...{ write, writeError: write, clearLine: () => undefined, screen: () => null },
    standardInput: () => Readable.from([]),
  };
  const context = { terminal, signal: stop ?? signal, isJson: false } as unknown as ClientContext;
  const target = targetOf(database, test.unit, (count) => (fromRows += count));
  const load = new Load(context, {
    ...{ target, files: [file], isLenient: test.isLenient, precision: null, waitMs: 0 },
    ...{ batchBytes: test.batchBytes, resume: null },
    linesOf: async (input) => {
      const { table, ...rest } = await linesOf(input, test, write);
      return way === 'lines' || table === undefined ? rest : { ...rest, table };
    },
  });
  let [code, failure] = [-1, ''];
  try {
    code = await load.run();
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    failure = error.message;
  }
  const samples = await samplesOf(database);
  await database.close();
  removeDirectory(folder);
  return { code, told: told.join(''), failure, samples, fromRows };
}

function linesOf(input: Input, test: Case, say: (text: string) => void): Promise<Input> {
  const { isLenient, labels, isNamed } = test;
  const { signal } = new AbortController();
  const unit = (): Promise<TimestampUnit> => Promise.resolve(test.unit);
  if (test.command === 'import') {
    const mapping = {
      ...{ timeColumn: 'time', valueColumns: ['a', 'b'], metric: 'm', metricColumn: null },
      ...{ labels, ignoredColumns: [], precision: null, guess: null },
    };
    return tableLines(input, { format: 'csv', mapping, delimiter: ',', isLenient, signal }, unit);
  }
  const table: IngestWishes['table'] = {
    ...{ timeColumn: null, metric: null, valueColumns: [], ignoredColumns: [], labels },
    labelColumns: isNamed ? ['host', 'größe'] : null,
    ...{ precision: null, decimal: null, nulls: ['gone'], datePattern: null, zone: null },
  };
  const wishes: IngestWishes = {
    ...{ format: 'csv', table, delimiter: null, at: null, isDescribing: true, isLenient, signal },
    ...{ fileLabelOf: () => ({}), say },
  };
  return ingestLines(input, wishes, { unit, begunMs: 0 });
}

const goodNumbers = [
  ...['1', '-2.5', '1e5', '1E-3', '0', '-0', '0.1', '9007199254740993', '123456789.12345678'],
  ...['1.7976931348623157e308', '5e-324', '0.30000000000000004', ''],
];
const badNumbers = [
  ...[' 7 ', '\t3', '+1', '1.', '.5', '-.5', '007', '1_000', '0x10', 'inf', 'NaN', 'n/a', '1e400'],
  ...[
    '"1,000"',
    '1e-999',
    '"2"',
    '" 2 "',
    '""',
    '"3""4"',
    '  ',
    '-',
    'gone',
    'x',
    "1'000",
    '\u00a05',
  ],
  ...[
    '+-1',
    '1e',
    '--2',
    '1 000',
    '9'.repeat(400),
    '+9007199254740993',
    '1.5%',
    '"4\n"',
    '\ufeff8',
  ],
];
const badTimes = [
  ...['', 'soon', '-5', '+5', '007', '1700000000', '1700000000.5', '9223372036854775808', '-0'],
  ...['1e12', '2026-01-31', '2026-01-31T12:30:05.25+01:00', '1969-12-31 23:59:59.9996Z', '""'],
  ...['0000-01-01', '9999-12-31T23:59:59Z', '2026-02-30', '2026-01-31T24:00', ' 1700000000001 '],
  ...['"1700000000002"', '-1700000000001', '9223372036854775807', '+002026-01-01', '2026-01-31Z'],
  ...['2026-01-31T12:30:05.1234567891', '2026-01-31t12:30', '2026-01-31T12:30+24:00'],
];
const badTexts = [
  ...[
    '""',
    '',
    '"a,b"',
    '"a""b"',
    '"two\nlines"',
    '"two\r\nlines"',
    'a"b',
    '"a"b',
    ' a ',
    'ä',
    '"ü"',
  ],
  ...['\ufeffa', '\u0001', 'a\rb', '"', '日本', '"\n"', '\u007f', 'x'.repeat(300), '{}', '\\'],
];

/** Times of one notation, mostly ascending. */
function timeOf(random: Random, at: number, isIso: boolean): string {
  const ms = 1_700_000_000_000 + (random.chance(0.05) ? random.below(50) : at) * 1000;
  return isIso ? new Date(ms).toISOString() : String(ms);
}

function madeCase(random: Random): Case {
  const command = random.chance(0.3) ? 'import' : 'ingest';
  const dirt = random.pick([0, 0.002, 0.02, 0.3]);
  const end = random.pick(['\n', '\r\n']);
  const isIso = random.chance(0.3);
  const texts = ['host', 'größe', ...(random.chance(0.2) ? ['metric_unit'] : [])];
  const columns = ['time', ...texts, ...(random.chance(0.2) ? ['none'] : []), 'a', 'b'];
  const names = random.chance(0.5) ? columns : columns.sort(() => random.unit() - 0.5);
  const hosts = random.pick([3, 3, 40, 1100]);
  const cellOf = (name: string, at: number): string => {
    const isBad = random.chance(dirt);
    if (name === 'time') return isBad ? random.pick(badTimes) : timeOf(random, at, isIso);
    if (name === 'none') return isBad && random.chance(0.2) ? random.pick(['x', ' ', 'n/a']) : '';
    if (name === 'metric_unit') return isBad ? random.pick(badTexts) : 's';
    if (!texts.includes(name)) return random.pick(isBad ? badNumbers : goodNumbers);
    return isBad ? random.pick(badTexts) : `${name[0] ?? ''}${random.below(hosts)}`;
  };
  const rows = Array.from({ length: random.pick([3, 60, 400, 1500]) }, (_, at) => {
    if (random.chance(dirt / 10))
      return random.pick(['', ' ', '\t', '\r', ',', 'x', '"', '\ufeff']);
    const cells = names.map((name) => cellOf(name, at));
    if (random.chance(dirt / 10)) cells.push('more');
    if (random.chance(dirt / 10)) cells.pop();
    return cells.join(',');
  });
  const mark = random.chance(0.1) ? '\ufeff' : '';
  const text = `${mark}${names.join(',')}${end}${rows.join(end)}${random.chance(0.5) ? end : ''}`;
  const bytes = Buffer.from(text);
  if (random.chance(dirt)) bytes[bytes.length - 3] = 0xff;
  return {
    ...{ bytes, command, isLenient: random.chance(0.5), unit: random.pick(['ms', 's', 'ns']) },
    batchBytes: random.pick([200, 2000, 20_000, 1 << 20]),
    labels: random.pick([{}, {}, { job: 'a,b:c', x: '' }]),
    isNamed: random.chance(0.3),
  };
}

/** The error without the place up to which rows were stored: batches end elsewhere. */
function faultIn(failure: string): string {
  const place = /(?:\d+ samples were stored before; nothing after .* was|nothing of .* was stored)/;
  return failure.replace(place, '…');
}

describe('tables that are sent as they are', function () {
  this.timeout(300_000);

  it(`store and tell what their lines would (seed ${testSeed})`, async () => {
    const random = new Random(testSeed);
    const folder = temporaryDirectory();
    const file = path.join(folder, 'm.csv');
    let fromRows = 0;
    for (let round = 0; round < Number(process.env['SERIESDB_ROUNDS'] ?? 60); round += 1) {
      const test = madeCase(random);
      writeFileSync(file, test.bytes);
      const [rows, lines] = [await loaded(file, test, 'rows'), await loaded(file, test, 'lines')];
      const about = `round ${round}`;
      if (process.env['SERIESDB_KEEP'])
        writeFileSync(
          `/tmp/csvcase`,
          inspect({ ...test, text: test.bytes.toString('latin1').slice(0, 3000) }),
        );
      assert.strictEqual(faultIn(rows.failure), faultIn(lines.failure), about);
      if (lines.failure === '') {
        assert.strictEqual(rows.told, lines.told, about);
        assert.strictEqual(rows.code, lines.code, about);
        assert.deepEqual(rows.samples, lines.samples, about);
      }
      fromRows += rows.fromRows;
    }
    assert.isAbove(fromRows, 1000);
    removeDirectory(folder);
  });
});
