/** A database inside a program, without HTTP: `node dist/examples/embedded.js [DIRECTORY]`. */
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { AppError, open } from 'seriesdb';

const given = process.argv[2];
const directory = given ?? mkdtempSync(path.join(os.tmpdir(), 'seriesdb-example-'));
const labels = { host: 'a' };

let database = await open(directory, { timestamp_unit: 'ms' });
const { ingested } = await database.ingest([
  { metric: 'cpu.load', labels, ts: 1_700_000_000_000n, value: 0.5 },
  { metric: 'cpu.load', labels, ts: 1_700_000_060_000n, value: 0.25 },
  { metric: 'cpu', labels, ts: 1_700_000_060_000n, fields: { idle: 97.5, user: 2.5 } },
]);
console.log(`${String(ingested)} samples stored`);

// The same lines as over HTTP; the whole text is stored or nothing of it.
try {
  await database.ingest('{"metric":"cpu.load","ts":"soon","value":1}\n');
} catch (error) {
  if (error instanceof AppError) console.log(`${error.code}: ${error.message}`);
}

await database.close();
database = await open(directory);
const everything = { start: -(2n ** 63n), end: 2n ** 63n - 1n };
for await (const samples of database.streamRange({ metric: 'cpu.load', labels, ...everything })) {
  for (const { ts, value } of samples) console.log(`${String(ts)} ${String(value)}`);
}
await database.close();
if (given === undefined) rmSync(directory, { recursive: true });
