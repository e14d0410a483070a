import { expect } from 'chai';

import { Client, maximumTs, minimumTs, type Answer, type Sample } from '../support/client.js';
import {
  killServers,
  removeDirectory,
  startServer,
  temporaryDirectory,
  type Server,
} from '../support/server.js';

const path = '/api/v1/seriesql';
const all = { start: minimumTs, end: maximumTs };

const lineOf = (host: string, ts: number): string =>
  JSON.stringify({ metric: 'cpu', labels: { host }, ts, value: ts / 10 });

describe(`DELETE through ${path} of a real server`, () => {
  const directory = temporaryDirectory();
  let server: Server;
  let client: Client;

  const open = async (): Promise<void> => {
    // The smallest allowed memtable, so that some deleted samples are in segments.
    const env = { SERIESDB_MEMTABLE_MAX_BYTES: '65536' };
    server = await startServer({ dataDir: directory, env });
    client = new Client(server.port);
  };
  const query = (body: string): Promise<Answer> => client.request('POST', path, { body });
  const rowsOf = async (body: string): Promise<string> => {
    const answer = await query(body);
    expect(answer.status, answer.body).to.equal(200);
    return /"rows":(.*),"stats"/.exec(answer.body)?.[1] ?? '';
  };
  const read = (host: string): Promise<Sample[]> =>
    client.rangeGet({ metric: 'cpu', labels: { host }, ...all });
  const timesOf = (samples: readonly Sample[]): readonly number[] =>
    samples.map(({ ts }) => Number(ts));

  before(async () => {
    await open();
    for (const host of ['a', 'b']) {
      for (let from = 0; from < 8000; from += 2000) {
        const times = Array.from({ length: 2000 }, (_, at) => from + at);
        await client.ingest(times.map((ts) => lineOf(host, ts)).join('\n'));
      }
    }
  });
  after(async () => {
    client.close();
    await killServers();
    removeDirectory(directory);
  });

  it('deletes a range of the matching series at once, and returns their number', async () => {
    const answer = await query("delete from cpu{host='a'} where time between 10 and 7989");
    expect(answer.status, answer.body).to.equal(200);
    expect(answer.body).to.contain('"name":"deleted_series"').and.to.contain('"rows":[[1]]');
    const left = timesOf(await read('a'));
    expect(left).to.have.lengthOf(20);
    expect(left).to.include.members([0, 9, 7990, 7999]);
    expect(await read('b')).to.have.lengthOf(8000);
    const counted =
      'select count(*), min(time), max(time) from cpu where time >= 0 group by tag.host';
    expect(await rowsOf(counted)).to.equal('[[20,0,7999],[8000,0,7999]]');
  });

  it('keeps it deleted through kill -9, and accepts new samples at the same times', async () => {
    await client.ingest(lineOf('a', 5000));
    client.close();
    await server.kill();
    await open();
    expect(timesOf(await read('a')))
      .to.have.lengthOf(21)
      .and.to.include(5000);
    expect(await read('b')).to.have.lengthOf(8000);
  });

  it('hides an empty series from discovery, also after kill -9, until a new sample', async () => {
    expect(
      await rowsOf("delete from cpu where tag.host = 'a' and time between 0 and 9000"),
    ).to.equal('[[1]]');
    for (let restarts = 0; restarts < 2; restarts++) {
      expect(await rowsOf('show label values for host from cpu')).to.equal('[["b"]]');
      expect((await query("show series from cpu{host='a'}")).status).to.equal(404);
      expect(await read('a')).to.deep.equal([]);
      client.close();
      await server.kill();
      await open();
    }
    await client.ingest(lineOf('a', 1));
    expect(timesOf(await read('a'))).to.deep.equal([1]);
    expect(await rowsOf('show label values for host from cpu')).to.equal('[["a"],["b"]]');
  });

  it('deletes series selected by pattern, labels and ids, in several ranges', async () => {
    const lines = ['x1', 'x2', 'y1'].flatMap((host) =>
      [1, 2, 3, 4].map((ts) => {
        const labels = { host, rack: host === 'x1' ? 'x1' : 'r' };
        return JSON.stringify({ metric: 'many', labels, ts, value: ts });
      }),
    );
    await client.ingest(lines.join('\n'));
    const left = 'select tag.host, time from many where time >= 0 order by time, tag.host';
    const twice = "tag.host =~ '^x' and (time between 1 and 1 or time between 3 and 3)";
    expect(await rowsOf(`delete from many where ${twice}`)).to.equal('[[2]]');
    expect(await rowsOf('delete from many where tag.host = tag.rack and time = 2')).to.equal(
      '[[1]]',
    );
    expect(await rowsOf('delete from many where series_id > 0 and time = 4')).to.equal('[[3]]');
    expect(await rowsOf(left)).to.equal('[["y1",1],["x2",2],["y1",2],["y1",3]]');
  });

  it('rejects an unbounded range, and a selector that matches nothing', async () => {
    expect((await query('delete from cpu where time >= 0')).status).to.equal(400);
    expect((await query('delete from nothing where time = 0')).status).to.equal(404);
    expect(await read('b')).to.have.lengthOf(8000);
  });
});
