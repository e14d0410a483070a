/** Every command that prints a table cuts it to the terminal, and to nothing else. */
import { assert } from 'chai';

import { ask } from '../support/admin-server.js';
import { adminUrl, done, ingest, withAdmin } from '../support/maintenance.js';
import { runAtTerminal, runCli } from '../support/cli.js';
import { killServers, startServer, temporaryDirectory, type Server } from '../support/server.js';

const long =
  'a_text_that_is_much_longer_than_any_screen_which_is_as_narrow_as_that_of_this_test_and_longer';
const metric = `metric.of.${long}`;
const start = 1_700_000_000_000;

function linesOf(count: number, name: string): string {
  const one = (at: number): string =>
    JSON.stringify({ metric: name, labels: { host: long }, ts: start + at * 1000, value: at });
  return Array.from({ length: count }, (_, at) => one(at)).join('\n');
}

/** Excludes the lines of a progress meter, which are not part of the table. */
const linesSeen = (text: string): readonly string[] =>
  text.split(/\r?\n/).filter((line) => !line.includes('\u001b'));

const window = ['--start', String(start), '--end', String(start + 5000), '--offset', '1s'];
const bars = `select time, tag.host, value from ${metric} where time >= 0 limit 3`;

describe('a narrow terminal', function () {
  this.timeout(120_000);
  let server: Server;

  before(async () => {
    const args = [...withAdmin, '--compaction', 'false'];
    server = await startServer({ dataDir: temporaryDirectory(), args });
    await ingest(server, linesOf(20, metric));
    await ingest(server, linesOf(2000, 'many'));
    const noted = ['annotate', 'write', 'deploy', long, '--start', String(start)];
    done(await runCli([...noted, '--url', server.url]));
    await ask(server.adminPort, '/__admin/flush', { method: 'POST' });
    await ask(server.adminPort, `/__admin/snapshot/create?name=${long.slice(0, 60)}`, {
      method: 'POST',
    });
  });
  after(killServers);

  const ofClient = (...words: string[]) => [...words, '--url', server.url];
  const ofAdmin = (...words: string[]) => [...words, '--url', adminUrl(server)];
  /** Each with a width that shortens texts; numbers are never cut. */
  const commands: readonly [name: string, columns: number, words: () => readonly string[]][] = [
    ['find metrics', 80, () => ofClient('find', 'metrics')],
    ['find series', 80, () => ofClient('find', 'series', metric)],
    ['health', 80, () => ofClient('health')],
    ['compare', 60, () => ofClient('compare', metric, ...window)],
    ['annotate list', 80, () => ofClient('annotate', 'list')],
    ['query range', 40, () => ofClient('query', 'range', metric)],
    ['query range, long', 60, () => ofClient('query', 'range', 'many')],
    [
      'query',
      60,
      () => ofClient('query', `select tag.host, last(value) from ${metric} group by 1`),
    ],
    ['query, as bars', 60, () => ofClient('query', '--format', 'chart', bars)],
    ['verify', 70, () => ofAdmin('verify')],
    ['inspect segments', 160, () => ofAdmin('inspect', 'segments')],
    ['inspect refs', 130, () => ofAdmin('inspect', 'refs')],
    ['snapshot list', 90, () => ofAdmin('snapshot', 'list')],
  ];

  for (const [name, columns, words] of commands) {
    it(`fits the output of "${name}" into its width, and a pipe gets all of it`, async () => {
      const seen = linesSeen(await runAtTerminal(words(), columns));
      const piped = linesSeen(done(await runCli(words())));
      const isTooLong = (line: string): boolean => line.length > columns;
      const factsFrom = name === 'compare' ? seen.indexOf('') : seen.length;
      assert.deepEqual(seen.slice(0, factsFrom).filter(isTooLong), []);
      assert.isNotEmpty(piped.filter(isTooLong));
      const isCut = (line: string): boolean => /\S…/.test(line);
      assert.isNotEmpty(seen.filter(isCut));
      assert.deepEqual(piped.filter(isCut), []);
    });
  }
});
