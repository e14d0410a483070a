/** Files as the page takes them: what they are, what a person says of them, what is stored. */

import { gzipSync } from 'node:zlib';

import { assert } from 'chai';

import { readBeginning, openBytes } from '../../src/ui/load/file-bytes.js';
import { previewOf, type LoadPlan, type LoadPreview } from '../../src/ui/load/plan.js';
import { store, type Account } from '../../src/ui/load/store.js';
import { noFields, pageWords, type LoadFields } from '../../src/ui/load/wishes.js';
import { beginningSize } from '../../src/common/tables/csv-text.js';

type Text = string | Uint8Array<ArrayBuffer>;

async function look(
  name: string,
  text: Text,
  said: Partial<LoadFields> = {},
): Promise<LoadPreview> {
  const beginning = await readBeginning(new Blob([text]), beginningSize);
  return previewOf({ name, beginning, unit: 'ms' }, { ...noFields, ...said });
}

const roles = (preview: LoadPreview): readonly string[] =>
  preview.columns.map(({ name, role }) => `${name}: ${role}`);

interface Stored {
  readonly lines: readonly string[];
  readonly account: Account;
}

async function storeIt(text: Text, plan: LoadPlan | null): Promise<Stored> {
  assert.isNotNull(plan);
  const lines: string[] = [];
  const account = await store(new Blob([text]), {
    plan,
    unit: 'ms',
    send: (batch) => {
      lines.push(...batch);
      const ingested = batch.filter((line) => line.trim() !== '').length;
      return Promise.resolve({ ingested, rejected: 0, errors: [], skipped: 0, warnings: [] });
    },
    show: () => undefined,
  });
  return { lines, account };
}

const rooms = 'Datum;Raum;Grad\n28.11.2026 01:00;Küche;20,5\n28.11.2026 02:00;Bad;n/a\n';

describe('a file loaded in the page', () => {
  it('is recognized as a table like on the command line', async () => {
    const preview = await look('rooms.csv', rooms);
    assert.strictEqual(preview.fault, '');
    assert.deepEqual(roles(preview), ['Datum: time', 'Raum: label', 'Grad: value']);
    assert.deepEqual(preview.rows, [
      { time: '2026-11-28T01:00:00.000Z', series: '{Raum="Küche"}', samples: 'rooms.Grad=20.5' },
    ]);
    const { lines } = await storeIt(rooms, preview.plan);
    assert.deepEqual(lines, [
      '{"metric":"rooms.Grad","labels":{"Raum":"Küche"},"ts":1795827600000,"value":20.5}\n',
      '\n',
    ]);
  });

  it('may be compressed, have a byte order mark, or come from a spreadsheet', async () => {
    const plain = await look('rooms.csv', rooms);
    const packed = new Uint8Array(gzipSync(`\ufeff${rooms}`));
    assert.deepEqual(await look('rooms.csv.gz', packed), plain);
    const { lines } = await storeIt(packed, plain.plan);
    assert.include(lines[0], 'Küche');
    const western = await look('rooms.csv', new Uint8Array(Buffer.from(rooms, 'latin1')));
    assert.deepEqual(western.rows, plain.rows);
    const zstd = new Uint8Array([0x28, 0xb5, 0x2f, 0xfd, 0]);
    const fault = await openBytes(new Blob([zstd])).then(
      () => '',
      (error: unknown) => (error as Error).message,
    );
    assert.match(fault, /compressed with zstd/);
  });

  it('obeys a zone, a date format, a decimal mark, null words and a metric', async () => {
    const text = 'when,x\n3/4/2026 10:00,"1,5"\n3/5/2026 10:00,aus\n';
    const unclear = await look('a.csv', text);
    assert.isNull(unclear.plan);
    assert.match(unclear.fault, /^"3\/4\/2026 10:00" is ambiguous: choose by the date format/);
    const said: Partial<LoadFields> = {
      ...{ metric: 'power', zone: 'Europe/Berlin', decimal: ',' as const, nulls: 'err, AUS' },
      datePattern: 'DD/MM/YYYY hh:mm',
    };
    const { fault, rows, complaints } = await look('a.csv', text, said);
    assert.strictEqual(fault, '');
    assert.deepEqual(complaints, []);
    const [row] = rows;
    assert.strictEqual(row?.time, '2026-04-03T08:00:00.000Z');
    assert.strictEqual(row?.samples, 'power=1.5');
    const { fault: zoneFault } = await look('a.csv', text, { zone: 'Berlin' });
    assert.strictEqual(zoneFault, 'No such time zone: Berlin; did you mean Europe/Berlin?');
    assert.match((await look('a.csv', text, { datePattern: 'hh' })).fault, /^The date format must/);
  });

  it('gives a column its chosen role, and guesses the others', async () => {
    const text = 'ts,host,id,value\n1795827600000,a,7,1\n1795827660000,b,8,2\n';
    const unclear = await look('m.csv', text);
    assert.include(unclear.fault, 'choose by “value”, “label” or “left out”');
    assert.lengthOf(unclear.columns, 4);
    const label = await look('m.csv', text, { roles: new Map([['id', 'label']]) });
    assert.deepEqual(roles(label), ['ts: time', 'host: label', 'id: label', 'value: value']);
    const value = await look('m.csv', text, { roles: new Map([['id', 'value']]) });
    assert.deepEqual(roles(value), ['ts: time', 'host: label', 'id: value', 'value: value']);
    assert.strictEqual(value.rows[0]?.samples, 'm.id=7 m.value=1'.split(' ').reverse().join(' '));
    const out = await look('m.csv', text, { roles: new Map([['id', 'left out']]) });
    assert.deepEqual(roles(out), ['ts: time', 'host: label', 'id: left out', 'value: value']);
  });

  it('has its bad cells and rows reported before and after they are skipped', async () => {
    const rows = Array.from({ length: 40 }, (_, at) =>
      at === 3 ? 'soon,a,1' : `${1795827600000 + at},"a\nb",${at % 2 === 0 ? 'broken' : at}`,
    );
    const text = `ts,host,value\n${rows.join('\n')}\n`;
    const preview = await look('m.csv', text, { roles: new Map([['value', 'value']]) });
    assert.lengthOf(preview.rows, 5);
    assert.lengthOf(preview.complaints, 10);
    assert.strictEqual(preview.complaintCount, 21);
    assert.strictEqual(preview.complaints[0], 'Line 2: "broken" in column "value" is not a number');
    const { account } = await storeIt(text, preview.plan);
    assert.deepInclude(account, { samples: 19, refused: 1, cells: 20 });
    assert.deepEqual(account.complaints, preview.complaints);
    assert.match(account.complaints[2] ?? '', /^Line 8: "soon" is not a time/);
  });

  it('may be lines, and is rejected if it is neither lines nor a table', async () => {
    const line = '{"metric":"m","ts":1795827600000,"value":1,"labels":{"a":"b"}}';
    const preview = await look('m.ndjson', `${line}\nnot\n`);
    assert.deepEqual(preview.rows, [
      { time: '2026-11-28T01:00:00.000Z', series: '{a="b"}', samples: 'm=1' },
      { time: '', series: '', samples: 'refused: not' },
    ]);
    const { lines } = await storeIt(`${line}\n${line}`, preview.plan);
    assert.deepEqual(lines, [line, line]);
    for (const [text, fault] of [
      ['', /^The file is empty/],
      ['[{"metric":"m"}]', /one array of JSON/],
      ['cpu,host=a load=1 1795827600000000000\n', /^It is line protocol/],
      ['# TYPE up gauge\nup 1\n', /^It is Prometheus/],
      ['PAR1....', /^It is a Parquet file/],
      ['hello', /neither CSV nor NDJSON/],
    ] as const) {
      const { plan, fault: said } = await look('file', text);
      assert.isNull(plan, text);
      assert.match(said, fault);
    }
  });

  it("is described in the page's words, whatever its column names", () => {
    const sentence = 'x; say --labels --value if it is one, or leave it out by --ignore --value';
    const words = 'X; say “label” if it is one, or leave it out by “left out”.';
    assert.strictEqual(pageWords(sentence, ['--value', 'a']), words);
  });
});
