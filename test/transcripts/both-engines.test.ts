import { expect } from 'chai';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { AppError } from '../../src/common/errors/app-error.js';
import { openNativeStorage } from '../../src/storage/native-storage.js';
import { defaultQuerySettings, QueryService } from '../../src/operations/query.js';
import { printFloat } from '../../src/query/seriesql/plan/evaluate.js';
import { addonPath, optionsFor } from '../native/addon.js';
import { removeDirectory, temporaryDirectory } from '../support/server.js';
import { parseSeries, readTranscript, type TranscriptCase } from '../support/transcript.js';

import type { TimestampUnit } from '../../src/common/model/timestamp-unit.js';
import type { NativeEngineOptions } from '../../src/storage/native/contract.js';
import type { Storage } from '../../src/storage/storage.js';

const folder = fileURLToPath(new URL('../../../test/transcripts/query', import.meta.url));

/** A real database that runs every query through both engines. */
class ShadowDatabase {
  readonly #storage: Storage;
  readonly #options: NativeEngineOptions;
  readonly #queries: QueryService;

  constructor(storage: Storage, options: NativeEngineOptions) {
    this.#storage = storage;
    this.#options = options;
    this.#queries = new QueryService({
      storage,
      unit: options.timestampUnit,
      settings: () => ({ ...defaultQuerySettings, mode: 'shadow', onShadowMismatch: 'error' }),
      reportMismatch: () => undefined,
    });
  }

  async load(line: string): Promise<void> {
    const { name, labels, isCounter, samples } = parseSeries(line);
    const precision = this.#options.timestampUnit;
    const request = this.#storage.beginIngest({ precision, isLenient: false });
    const head = { metric: name, labels: Object.fromEntries(labels) };
    const kind = isCounter ? { kind: 'counter' } : {};
    const text = JSON.stringify({ ...head, ...kind }).slice(0, -1);
    for (const { time, value } of samples) {
      request.write(Buffer.from(`${text},"ts":${time},"value":${printFloat(value)}}\n`));
    }
    await request.commit();
  }

  /** The code of what is wrong, or `ok`. */
  async query(text: string): Promise<string> {
    try {
      const pieces = await this.#queries.ask(text, { format: 'ndjson' }).started;
      while ((await pieces.next()) !== null);
      return 'ok';
    } catch (error) {
      if (error instanceof AppError) return `${error.code}: ${error.message}`;
      throw error;
    }
  }

  /** The number of queries so far that the compiled engine answered. */
  compiledCount(): number {
    return this.#queries.figures()['query_compile_success_total'] ?? 0;
  }

  async close(): Promise<void> {
    await this.#storage.close();
    removeDirectory(this.#options.directory);
  }
}

async function openShadow(unit: TimestampUnit): Promise<ShadowDatabase> {
  const options = optionsFor(temporaryDirectory(), {
    timestampUnit: unit,
    memtableMaxBytes: 2 ** 24,
    maxBodyBytes: 2 ** 24,
  });
  return new ShadowDatabase(await openNativeStorage(options, addonPath), options);
}

describe('query transcripts through both engines', () => {
  let compiled = 0;
  let answered = 0;

  for (const name of readdirSync(folder).filter((file) => file.endsWith('.txt'))) {
    it(`${name}: the same rows, and the errors of the transcript`, async () => {
      let database = await openShadow('ms');
      try {
        for (const one of readTranscript(path.join(folder, name))) {
          const unit = /^set unit (s|ms|us|ns)$/.exec(one.command)?.[1];
          if (unit !== undefined) {
            compiled += database.compiledCount();
            await database.close();
            database = await openShadow(unit as TimestampUnit);
          }
          const [first, ...series] = one.command.split('\n');
          for (const line of first === 'load' ? series : []) await database.load(line);
          if (/^(load|set)\b/.test(one.command)) continue;
          answered += (await compare(database, name, one)) ? 1 : 0;
        }
      } finally {
        compiled += database.compiledCount();
        await database.close();
      }
    });
  }

  it('most that are answered are compiled', () => {
    expect(answered).to.be.greaterThan(200);
    expect(compiled).to.be.greaterThan(answered / 2);
  });
});

/** Error codes in transcripts; any other first word begins an answer. */
const errorCode = /^([a-z_]+_(?:failed|required|found|selector|exceeded|error)|unsupported_\w+) /;

/**
 * Ids and the clock are the database's own here, so that only the kind of error is compared, and
 * what names an id or the time of the transcript may find nothing or something else.
 */
const namesOwnValues = /by_id\(|now\(|series_id\s*(?:=|!=|<|>|%|(?:not )?in\b|between\b)/;

/** Says whether the query was answered. */
async function compare(
  database: ShadowDatabase,
  name: string,
  { command, expected, line }: TranscriptCase,
): Promise<boolean> {
  const answer = await database.query(command);
  const where = `${name}:${line} ${command}\n${answer}`;
  expect(answer, where).not.to.match(/^(shadow_mismatch|execution_error|internal_error)/);
  const wanted = errorCode.exec(expected)?.[1] ?? 'ok';
  const isOfText = /^(parse_failed|validation_failed|unsupported_)/.test(wanted);
  const isElsewhere = !isOfText && namesOwnValues.test(command);
  expect(answer, where).to.match(isElsewhere ? /^(ok$|series_not_found)/ : RegExp(`^${wanted}`));
  return answer === 'ok';
}
