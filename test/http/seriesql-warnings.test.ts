/** The answer names labels of the statement that no series has. */

import { expect } from 'chai';

import { runCli } from '../support/cli.js';
import { Client } from '../support/client.js';
import {
  killServers,
  removeDirectory,
  startServer,
  temporaryDirectory,
  type Server,
} from '../support/server.js';

const lines = [
  '{"metric":"cpu.user","labels":{"host":"a","region":"eu"},"ts":1000,"value":1}',
  '{"metric":"cpu.user","labels":{"host":"b"},"ts":1000,"value":2}',
  '{"metric":"cpu.idle","labels":{"core":"0"},"ts":1000,"value":3}',
  '{"metric":"bare","labels":{},"ts":0,"value":5}',
  '{"series":"room","tags":{"floor":"1"},"ts":5,"value":1}',
];

interface Answered {
  readonly code?: string;
  readonly error?: string;
  readonly rows?: unknown;
  readonly stats?: { readonly warnings?: readonly string[] };
}

describe('a label that no series has', () => {
  const directory = temporaryDirectory();
  let server: Server;
  let client: Client;
  before(async () => {
    server = await startServer({ dataDir: directory });
    client = new Client(server.port);
    await client.ingest(lines.join('\n'));
  });
  after(async () => {
    client.close();
    await killServers();
    removeDirectory(directory);
  });
  const answerTo = async (body: string): Promise<Answered> => {
    const { body: text } = await client.request('POST', '/api/v1/seriesql', { body });
    return JSON.parse(text) as Answered;
  };
  const warningsOf = async (text: string): Promise<readonly string[] | undefined> => {
    const { stats, error } = await answerTo(text);
    expect(error, text).to.equal(undefined);
    return stats?.warnings;
  };

  it('causes a warning that suggests the intended label, on every query', async () => {
    const near = ['no series of cpu.user has the label hots; did you mean host?'];
    const text = 'select tag.hots, avg(value) from cpu.user group by tag.hots';
    for (let round = 0; round < 3; round += 1) {
      const { rows, stats } = await answerTo(text);
      expect(rows).to.deep.equal([[null, 1.5]]);
      expect(stats?.warnings).to.deep.equal(near);
    }
    expect(await warningsOf('select count(*) from cpu.user group by tag.hots')).to.deep.equal(near);
    const raw = 'select time, tag.host, upper(tag.hots), value from cpu.user where time >= 0';
    expect(await warningsOf(raw)).to.deep.equal(near);
    expect(await warningsOf('select tag.hots from cpu.user')).to.deep.equal(near);
    const distinct = 'select count(distinct tag.hots) from cpu.user where time >= 0';
    expect(await warningsOf(distinct)).to.deep.equal(near);
    const ordered = 'select * from cpu.user where time >= 0 order by tag.hots';
    expect(await warningsOf(ordered)).to.deep.equal(near);
    expect(await warningsOf('show label values for hots from cpu.user')).to.deep.equal(near);
  });

  it('causes a warning that lists the labels if none is similar', async () => {
    expect(await warningsOf('select tag.zone, last(value) from cpu.user group by 1')).to.deep.equal(
      ['no series of cpu.user has the label zone; they have host, region'],
    );
    expect(await warningsOf('select tag."k 8" from bare')).to.deep.equal([
      'no series of bare has the label "k 8"; they have no labels',
    ]);
    expect(await warningsOf('select tag.flor from room')).to.deep.equal([
      'no series of room has the label flor; did you mean floor?',
    ]);
    expect(await warningsOf('select tag.cor, tag.host, tag.x from cpu.*')).to.deep.equal([
      'no series of cpu.* has the label cor; did you mean core?',
      'no series of cpu.* has the label x; they have core, host, region',
    ]);
  });

  it('causes no warning if a series outside of the selection has it', async () => {
    const narrow = "select tag.region, last(value) from cpu.user{host='b'} group by tag.region";
    expect(await warningsOf(narrow)).to.equal(undefined);
    expect(await warningsOf('select tag.core, tag.host from cpu.*')).to.equal(undefined);
    expect(await warningsOf('show label values for host from cpu.user')).to.equal(undefined);
    expect(await warningsOf('select * from cpu.user where time >= 0')).to.equal(undefined);
    expect(await warningsOf('select 1')).to.equal(undefined);
  });

  it('causes no warning once a series has it', async () => {
    const text = 'select tag.rack, last(value) from bare group by tag.rack';
    expect(await warningsOf(text)).to.have.length(1);
    await client.ingest('{"metric":"bare","labels":{"rack":"7"},"ts":0,"value":5}');
    expect(await warningsOf(text)).to.equal(undefined);
  });

  it('causes a warning on stderr of the command line', async () => {
    const text = 'select tag.hots, last(value) from cpu.user group by tag.hots';
    const told = await runCli(['query', text, '--url', server.url]);
    expect(told.code).to.equal(0);
    expect(told.err).to.include(
      'warning: no series of cpu.user has the label hots; did you mean host?\n',
    );
  });

  it('causes a warning header in each format, and a warning on the command line', async () => {
    const text = 'select tag.hots, last(value) from cpu.user group by tag.hots';
    const warning = 'no series of cpu.user has the label hots; did you mean host?';
    // The second time may be a short read.
    for (const format of ['json', 'csv', 'x-ndjson', 'csv']) {
      const accept = format === 'csv' ? 'text/csv' : `application/${format}`;
      const asked = { body: text, headers: { accept } };
      const { headers } = await client.request('POST', '/api/v1/seriesql', asked);
      expect(headers['warning'], format).to.equal(`299 - "${warning}"`);
    }
    for (const format of ['json', 'csv', 'ndjson']) {
      const flags = ['--format', format, '--url', server.url];
      const told = await runCli(['query', text, ...flags]);
      expect(told.err, format).to.equal(`warning: ${warning}\n`);
      expect(told.out).not.to.equal('');
    }
    const plain = { body: 'select last(value) from cpu.user', headers: { accept: 'text/csv' } };
    const { headers } = await client.request('POST', '/api/v1/seriesql', plain);
    expect(headers).not.to.have.property('warning');
  });

  it('is named in the error if a condition uses it', async () => {
    for (const where of ["where tag.hots = 'a'", "where tag.hots =~ 'a' and time > 0"]) {
      const { code, error } = await answerTo(`select last(value) from cpu.user ${where}`);
      expect(code).to.equal('series_not_found');
      expect(error).to.include(
        'hint: no series of cpu.user has the label hots; did you mean host?',
      );
    }
    const other = await answerTo("select last(value) from cpu.user where tag.host = 'z'");
    expect(other.error).to.include('cpu.user has no such series; write show series from cpu.user');
    const unknown = await answerTo('select tag.hots, last(value) from cpu.usr group by tag.hots');
    expect(unknown.error).to.include('hint: did you mean cpu.user?');
  });
});

describe('a counter aggregate', () => {
  const directory = temporaryDirectory();
  let client: Client;
  before(async () => {
    const server = await startServer({ dataDir: directory });
    client = new Client(server.port);
    const written = await client.request('POST', '/write?precision=ms', {
      body: 'net,host=a sent=10 1000\nnet,host=a sent=4 2000\nnet,host=a sent=9 61000',
    });
    expect(written.status).to.equal(204);
  });
  after(async () => {
    client.close();
    await killServers();
    removeDirectory(directory);
  });
  const answerTo = async (text: string): Promise<Answered> => {
    const { body } = await client.request('POST', '/api/v1/seriesql', { body: text });
    return JSON.parse(body) as Answered;
  };
  const ofGauge = (name: string): string =>
    `net.sent is a gauge, so ${name}() counts a reset as a decrease; ` +
    'a line with "kind":"counter" for one of its series makes it a counter';
  const ofBuckets = (name: string): string =>
    `${name}() of a bucket counts from its first sample to its last; the change from the ` +
    'last sample of a bucket to the first of the next is in no row, so use wide buckets';

  it('warns that time is compared with a duration', async () => {
    const warning =
      'time is compared with a duration, as counted from 1970; write time >= now() - 1h';
    for (const condition of ['time > -1h', '1h < time', "tag.host = 'a' and time >= -(1h)"]) {
      const { rows, stats } = await answerTo(`select count(*) from net.sent where ${condition}`);
      expect(rows, condition).to.be.an('array');
      expect(stats?.warnings, condition).to.deep.equal([warning]);
    }
    for (const condition of ['time > now() - 1h', 'time >= 0', 'time - 1h > 0']) {
      const { stats } = await answerTo(`select count(*) from net.sent where ${condition}`);
      expect(stats?.warnings, condition).to.equal(undefined);
    }
  });

  it('warns that a metric is a gauge, until it is a counter', async () => {
    for (const name of ['increase', 'rate', 'irate', 'increase']) {
      const { stats } = await answerTo(`select ${name}(value) from net.sent where time >= 0`);
      expect(stats?.warnings, name).to.deep.equal([ofGauge(name)]);
    }
    const family = await answerTo('select increase(value) from net.* where time >= 0');
    expect(family.rows).to.deep.equal([[-1]]);
    expect(family.stats?.warnings).to.deep.equal([ofGauge('increase')]);
    const both = await answerTo(
      'select tag.hots, rate(value) from net.sent where time >= 0 group by 1',
    );
    expect(both.stats?.warnings).to.deep.equal([
      'no series of net.sent has the label hots; did you mean host?',
      ofGauge('rate'),
    ]);
    const other = await answerTo('select delta(value), avg(value) from net.sent where time >= 0');
    expect(other.stats?.warnings).to.equal(undefined);
    const line = { metric: 'up', kind: 'counter', labels: { host: 'a' }, ts: 1000, value: 1 };
    await client.ingest(JSON.stringify(line));
    const counter = await answerTo('select increase(value) from up where time >= 0');
    expect(counter.rows).to.deep.equal([[0]]);
    expect(counter.stats?.warnings).to.equal(undefined);
  });

  it('warns of what bucket rows leave out', async () => {
    const byMinute = 'group by time_bucket(1m, time)';
    const delta = await answerTo(`select delta(value) from net.sent where time >= 0 ${byMinute}`);
    expect(delta.rows).to.deep.equal([[-6], [0]]);
    expect(delta.stats?.warnings).to.deep.equal([ofBuckets('delta')]);
    for (let round = 0; round < 2; round += 1) {
      const { stats } = await answerTo(
        `select increase(value) from net.sent where time >= 0 ${byMinute}`,
      );
      expect(stats?.warnings).to.deep.equal([ofGauge('increase'), ofBuckets('increase')]);
    }
    const byHost = await answerTo(
      'select delta(value) from net.sent where time >= 0 group by tag.host',
    );
    expect(byHost.stats?.warnings).to.equal(undefined);
  });
});
