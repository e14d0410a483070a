/** Parquet files with damage anywhere: told, and never taken for other rows. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { assert } from 'chai';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';

import { ParquetForm } from '../../src/cli/exporting/parquet-form.js';
import { CommandFailure } from '../../src/cli/session/failure.js';
import { openFile } from '../../src/cli/loading/input.js';
import { parquetInput } from '../../src/cli/loading/parquet-input.js';
import { parquetRows } from '../../src/cli/loading/parquet-rows.js';
import { RowBook } from '../../src/common/tables/row-book.js';
import { readFooter } from '../../src/cli/tabular/parquet-file.js';
import { Random, testSeed } from '../support/random.js';
import { removeDirectory, temporaryDirectory } from '../support/server.js';

import type { SampleRun } from '../../src/cli/exporting/sample-runs.js';

const metric = {
  ...{ name: 'm', labelKeys: ['host', 'zone'], kind: 'gauge', unit: null, description: 'd' },
};

function runOf(host: string, count: number): SampleRun {
  const samples = Array.from({ length: count }, (_, at) => ({
    ts: String(at * 7),
    value: String(at / 8),
  }));
  return { metric, labels: { host }, samples };
}

/** A file of 120 rows. */
function wholeFile(): Buffer {
  const form = new ParquetForm('ms', [metric]);
  const pieces = [
    form.begin(),
    form.print(runOf('a', 60)),
    form.print(runOf('b"c', 60)),
    form.end(),
  ];
  return Buffer.concat(pieces.map((piece) => piece ?? new Uint8Array()));
}

/** The same rows as a program writes them that seals nothing. */
function unsealed(bytes: Buffer): Buffer {
  const { schema, row_groups: groups, num_rows: rows } = readFooter(new Uint8Array(bytes).buffer);
  const writer = new ByteWriter();
  const footer = new ParquetWriter({ writer, schema });
  const size = bytes.readUInt32LE(bytes.length - 8);
  footer.row_groups = groups;
  footer.num_rows = rows;
  void footer.finish();
  // Without the four letters that a file begins with.
  const end = writer.getBytes().subarray(4);
  return Buffer.concat([bytes.subarray(0, bytes.length - 8 - size), end]);
}

function damaged(whole: Buffer, random: Random): Buffer {
  const bytes = Buffer.from(whole);
  const at = random.below(bytes.length);
  const kind = random.below(4);
  if (kind === 0) return bytes.subarray(0, at);
  if (kind === 1) bytes[at] = random.below(256);
  if (kind === 2) bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
  if (kind === 3) bytes.copyWithin(at, random.below(bytes.length), random.below(bytes.length));
  return bytes;
}

describe('a Parquet file', function () {
  this.timeout(120_000);
  const folder = temporaryDirectory();
  after(() => {
    removeDirectory(folder);
  });
  const name = path.join(folder, 'file.parquet');
  const mapping = {
    ...{ timeColumn: null, valueColumns: [], metric: null, metricColumn: null, labels: {} },
    ...{ ignoredColumns: [], precision: null, guess: null },
  };

  /** The lines it holds. */
  async function linesOf(bytes: Buffer): Promise<string> {
    writeFileSync(name, bytes);
    const options = { mapping, unit: 'ms', isLenient: true } as const;
    const { signal } = new AbortController();
    const input = await parquetInput(await openFile(name), options, { signal, groupMs: 2_000 });
    const pieces: Buffer[] = [];
    for await (const piece of input.bytes) pieces.push(piece);
    return Buffer.concat(pieces).toString();
  }

  /** The lines, or what was said instead. Every other failure is thrown. */
  async function outcome(bytes: Buffer): Promise<string | CommandFailure> {
    try {
      return await linesOf(bytes);
    } catch (error) {
      if (error instanceof CommandFailure) return error;
      throw error;
    }
  }

  it(`of our writer reveals damage at any byte (seed ${String(testSeed)})`, async () => {
    const random = new Random(testSeed);
    const whole = wholeFile();
    const lines = await linesOf(whole);
    assert.lengthOf(lines.match(/\n/g) ?? [], 120);
    let told = 0;
    for (let round = 0; round < 50; round += 1) {
      const bytes = damaged(whole, random);
      const found = await outcome(bytes);
      if (found instanceof CommandFailure) told += 1;
      else assert.isTrue(found === lines, `other rows in round ${String(round)}`);
      if (found instanceof CommandFailure) assert.match(found.message, /^cannot read .*: ./);
    }
    assert.isAbove(told, 30);
  });

  it(`of another program yields rows or an error message (seed ${String(testSeed)})`, async () => {
    const random = new Random(testSeed);
    const whole = unsealed(wholeFile());
    assert.strictEqual(await outcome(whole), await linesOf(wholeFile()));
    let told = 0;
    for (let round = 0; round < 25; round += 1) {
      if ((await outcome(damaged(whole, random))) instanceof CommandFailure) told += 1;
    }
    assert.isAbove(told, 3);
  });

  it('is not reported as damaged after a pause', async () => {
    writeFileSync(name, wholeFile());
    const options = { mapping, unit: 'ms', isLenient: true } as const;
    const { signal } = new AbortController();
    const file = await openFile(name);
    const paused = parquetInput(file, options, { signal, groupMs: 2_000 });
    // As long as the process stands still, no clock of it may count.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_500);
    for await (const piece of (await paused).bytes) assert.isNotEmpty(piece);
    const late = await parquetInput(file, options, { signal, groupMs: 1 }).catch(
      (error: unknown) => error,
    );
    assert.instanceOf(late, CommandFailure);
    assert.match(late.message, /: a row group was not read within 0.001 s$/);
    let steps = 0;
    const rows = new RowBook({ noun: 'row', isLenient: true });
    const progress = (): void => void (steps += 1);
    const { bytes } = await parquetRows(name, options, { rows, progress });
    assert.strictEqual(steps, 1);
    await bytes.next();
    await bytes.return(undefined);
  });

  it('without rows is valid, and a stream or an empty file is not', async () => {
    const form = new ParquetForm('s', []);
    const empty = Buffer.concat([form.begin(), form.end()]);
    assert.strictEqual(await linesOf(empty), '');
    for (const bytes of [Buffer.alloc(0), Buffer.from('PAR1PAR1'), Buffer.alloc(100)]) {
      assert.instanceOf(await outcome(bytes), CommandFailure);
    }
  });
});
