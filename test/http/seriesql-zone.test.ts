/** Times of a statement without a zone are read in the zone of the request. */

import { expect } from 'chai';

import { printTimeIn } from '../../src/common/model/iso-time.js';
import { runCli } from '../support/cli.js';
import { Client } from '../support/client.js';
import {
  killServers,
  removeDirectory,
  startServer,
  temporaryDirectory,
  type Server,
} from '../support/server.js';

const kHourMs = 3_600_000;
/** 2026-07-01T00:00 in Berlin, which is two hours ahead of UTC. */
const julyMs = Date.UTC(2026, 5, 30, 22);
/** 2026-01-01T00:00 in Berlin, one hour ahead. */
const januaryMs = Date.UTC(2025, 11, 31, 23);

describe('the zone of a request in SeriesQL', () => {
  const directory = temporaryDirectory();
  let server: Server;
  let client: Client;
  before(async () => {
    server = await startServer({ dataDir: directory });
    client = new Client(server.port);
    const times = [julyMs - 1, julyMs, julyMs + 2 * kHourMs, januaryMs - 1, januaryMs];
    const lines = times.map((ts) => JSON.stringify({ metric: 'm', labels: {}, ts, value: 1 }));
    await client.ingest(lines.join('\n'));
  });
  after(async () => {
    client.close();
    await killServers();
    removeDirectory(directory);
  });
  const ask = async (text: string, query = ''): Promise<{ rows?: unknown; error?: string }> => {
    const { body } = await client.request('POST', `/api/v1/seriesql${query}`, { body: text });
    return JSON.parse(body) as { rows?: unknown; error?: string };
  };
  const countSince = (time: string): string => `select count(*) from m where time >= ${time}`;

  it('applies to bare times, texts and days, not to times with a zone', async () => {
    // Repeated: from the third time on, the prepared statement is used.
    for (let round = 0; round < 3; round += 1) {
      for (const time of ['2026-07-01', "'2026-07-01'", "'2026-07-01 00:00'"]) {
        const text = countSince(time);
        expect((await ask(text, '?tz=Europe/Berlin')).rows, text).to.deep.equal([[2]]);
        expect((await ask(text)).rows, text).to.deep.equal([[1]]);
        expect((await ask(text, '?tz=America/St_Johns')).rows, text).to.deep.equal([[0]]);
      }
    }
    const winter = 'select count(*) from m where time between 2026-01-01 and 2026-01-02';
    expect((await ask(winter, '?tz=Europe/Berlin')).rows).to.deep.equal([[1]]);
    for (const time of ['2026-07-01T00:00:00Z', "'2026-07-01 00:00' at time zone 'UTC'"]) {
      expect((await ask(countSince(time), '?tz=Europe/Berlin')).rows, time).to.deep.equal([[1]]);
    }
    const days = "select today() = today('Asia/Kathmandu'), today() = today('UTC')";
    expect((await ask(days, '?tz=Asia/Kathmandu')).rows).to.deep.equal([[true, false]]);
    expect((await ask(days)).rows).to.deep.equal([[false, true]]);
  });

  it('must exist', async () => {
    const { error } = await ask('select 1', '?tz=Europe/Berlni');
    expect(error).to.equal('no such time zone: Europe/Berlni; did you mean Europe/Berlin?');
    const told = await runCli(['query', 'select 1', '--tz', 'Berlin', '--url', server.url]);
    expect(told.code).to.equal(2);
    expect(told.err).to.include('no such time zone: Berlin; did you mean Europe/Berlin?');
    const load = await runCli(['ingest', '--tz', 'new york', 'x.csv', '--url', server.url]);
    expect(load.code).to.equal(2);
    expect(load.err).to.include('no such time zone: new york; did you mean America/New_York?');
  });

  it('applies to tables on the command line', async () => {
    const text = 'select time, value from m where time >= 2026-07-01 limit 1';
    const there = ['--tz', 'Europe/Berlin', '--url', server.url];
    const shown = await runCli(['query', text, ...there]);
    expect(shown.out).to.include('2026-07-01T00:00:00.000+02:00');
    const plain = await runCli(['query', text, '--url', server.url]);
    expect(plain.out).to.include('2026-07-01T00:00:00.000Z');
  });
});

describe('local time in a zone', () => {
  it("has the zone's offset, including half hours and years before 1970", () => {
    expect(printTimeIn('Asia/Kathmandu', 0n, 'ms')).to.equal('1970-01-01T05:30:00.000+05:30');
    expect(printTimeIn('America/New_York', -1n, 'ns')).to.equal(
      '1969-12-31T18:59:59.999999999-05:00',
    );
    expect(printTimeIn('UTC', 5n, 's')).to.equal('1970-01-01T00:00:05Z');
    expect(printTimeIn('UTC', 9n * 10n ** 18n, 's')).to.equal('');
  });
});
