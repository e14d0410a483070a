/** Hints of the command line if a range or a comparison finds no series. */
import { assert } from 'chai';

import { runCli } from '../support/cli.js';
import { killServers, startServer, temporaryDirectory } from '../support/server.js';

describe('a series that is not found', function () {
  this.timeout(120_000);
  let env: Record<string, string> = {};
  before(async () => {
    const server = await startServer({ dataDir: temporaryDirectory() });
    env = { SDB_URL: server.url };
  });
  after(killServers);

  it('query range and compare name missing labels, and suggest a metric', async () => {
    const lines = ['web-1', 'web-2'].map((host) => ({
      ...{ metric: 'cpu.usage_user', labels: { dc: 'ber', host, role: 'db' }, ts: 5, value: 1 },
    }));
    const input = lines.map((one) => `${JSON.stringify(one)}\n`).join('');
    assert.strictEqual((await runCli(['ingest', '-'], { env, input })).code, 0);
    const errorOf = async (...args: string[]) => (await runCli(args, { env })).err;
    const range = (...args: string[]) => errorOf('query', 'range', ...args);
    const user = 'cpu.usage_user';
    assert.strictEqual(
      await range(user, '-l', 'host=web-1'),
      'labels must be complete: dc=ber, host=web-1, role=db; ' +
        'seriesdb find series cpu.usage_user -l … finds by some\n',
    );
    assert.match(
      await range(user, '--no-labels'),
      /: dc=ber, host=web-\d.*; or dc=ber, host=web-\d.*finds by some$/m,
    );
    assert.strictEqual(
      await range(user, '-l', 'host=web-9'),
      'no series of cpu.usage_user has host=web-9; seriesdb find series cpu.usage_user lists them\n',
    );
    assert.strictEqual(
      await range('cpu.usage_usr'),
      'no metric cpu.usage_usr; did you mean cpu.usage_user?\n',
    );
    const find = (...args: string[]) => errorOf('find', 'series', ...args);
    assert.strictEqual(
      await find('cpu.usage_usr', '-l', 'dc=ber'),
      'no metric cpu.usage_usr; did you mean cpu.usage_user?\n',
    );
    assert.strictEqual(
      await find(user, '-l', 'dc=lon'),
      'no series of cpu.usage_user has dc=lon; seriesdb find series cpu.usage_user lists them\n',
    );
    assert.strictEqual(await find(user, '-l', 'dc=lon', '--op', 'or'), 'nothing found\n');
    const whole = ['-l', 'dc=ber', '-l', 'host=web-1', '-l', 'role=db'];
    assert.strictEqual(await range(user, ...whole, '--end', '4'), 'no samples\n');
    assert.strictEqual(await range(user, ...whole, '--end', 'yesterday'), '');
    const windows = ['--start', '0', '--end', '9', '--offset', '10ms'];
    assert.match(
      await errorOf('compare', user, '-l', 'host=web-1', ...windows),
      /labels must be complete: {"dc":"ber","host":"web-1","role":"db"} \(series_not_found\)$/m,
    );
  });
});
