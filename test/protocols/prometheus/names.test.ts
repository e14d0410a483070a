/** Names with dots, in the forms that PromQL clients use. */
import { expect } from 'chai';

import { Client } from '../../support/client.js';
import { runCli } from '../../support/cli.js';
import { Random, testSeed } from '../../support/random.js';
import {
  killServers,
  removeDirectory,
  startServer,
  temporaryDirectory,
  type Server,
} from '../../support/server.js';

interface Answered {
  readonly status: string;
  readonly error?: string;
  readonly infos?: readonly string[];
  readonly data?: { readonly result: readonly { metric: Record<string, string> }[] };
}

const lineOf = (metric: string): string =>
  JSON.stringify({ metric, labels: { host: 'a' }, ts: 1_000_000, value: 7 });

/** The name with Prometheus' underscore escaping. */
function escaped(name: string): string {
  const kept = (one: string, at: number): boolean =>
    /[A-Za-z:]/.test(one) || (at > 0 && /\d/.test(one));
  return Array.from(name, (one, at) => (kept(one, at) ? one : '_')).join('');
}

describe(`names with dots in PromQL (seed ${testSeed})`, () => {
  const directory = temporaryDirectory();
  let server: Server;
  let client: Client;
  before(async () => {
    server = await startServer({ dataDir: directory });
    client = new Client(server.port);
  });
  after(async () => {
    client.close();
    await killServers();
    removeDirectory(directory);
  });
  const ask = async (query: string, rest = '&time=1000'): Promise<Answered> => {
    const route = rest.includes('step') ? 'query_range' : 'query';
    const path = `/api/v1/${route}?query=${encodeURIComponent(query)}${rest}`;
    return JSON.parse((await client.request('GET', path)).body) as Answered;
  };
  const namesIn = ({ data, error }: Answered): readonly (string | undefined)[] => {
    expect(error).to.equal(undefined);
    return (data?.result ?? []).map(({ metric }) => metric['__name__']);
  };

  it('are rejected with an error that shows the right spelling', async () => {
    const spelled = [
      ['host.cpu', '1:5', '{"host.cpu"}'],
      ['sum(rate(host.cpu.user[5m]))', '1:14', '{"host.cpu.user"}'],
      ['host.cpu{host="a"}', '1:5', '{"host.cpu", …}'],
      ['load.5', '1:5', '{"load.5"}'],
      ['sum by (k8s.pod) (up)', '1:12', '"k8s.pod"'],
    ] as const;
    for (const [text, place, spelling] of spelled) {
      const { error = '' } = await ask(text);
      expect(error, text).to.include(
        `invalid parameter "query": ${place}: parse error: unexpected`,
      );
      expect(error, text).to.satisfy((one: string) => one.endsWith(`; write ${spelling}`));
    }
    const braces = (await ask('up{k8s.pod="a"}')).error;
    expect(braces).to.match(/unexpected character inside braces: '\.'; write "k8s\.pod"$/);
    expect((await ask('up .')).error).to.match(/unexpected character: '\.'$/);
    expect((await ask('.')).error).to.match(/unexpected character: '\.'$/);
    expect((await ask('"{" == host.cpu')).error).to.match(/; write \{"host\.cpu"\}$/);
    const { err } = await runCli(['query', '--promql', 'host.cpu', '--url', server.url]);
    expect(err).to.include('; write {"host.cpu"}\n');
    const matched = await client.request('GET', '/api/v1/series?match[]=host.cpu');
    expect(matched.body).to.include(String.raw`; write {\"host.cpu\"}`);
  });

  it('are found by their underscore form, and the answer says so', async () => {
    await client.ingest(lineOf('host.cpu'));
    const told =
      'PromQL info: no metric is named host_cpu; host.cpu was read, which becomes it under ' +
      'Prometheus\' escaping (write {"host.cpu"})';
    for (const rest of ['&time=1000', '&start=1000&end=1060&step=30']) {
      for (const text of ['host_cpu', 'host_cpu{host="a"}', 'host_cpu > 5', '(host_cpu)']) {
        const answered = await ask(text, rest);
        expect(namesIn(answered), text).to.deep.equal(['host.cpu']);
        expect(answered.infos, text).to.deep.equal([told]);
      }
    }
    for (const text of ['sum(host_cpu)', 'sum_over_time(host_cpu[5m])', 'host_cpu - host_cpu']) {
      const { data, infos } = await ask(text);
      expect(data?.result, text).to.have.length(1);
      expect(infos, text).to.deep.equal([told]);
    }
    expect((await ask('host_cpu[5m]')).infos).to.deep.equal([told]);
    expect((await ask('absent(host_cpu)')).data?.result).to.deep.equal([]);
    expect((await ask('host_mem')).infos).to.equal(undefined);
  });

  it('suggest a similar metric if none has the name', async () => {
    await client.ingest(lineOf('node_load1'));
    const toldOf = (name: string, meant: string): string =>
      `PromQL info: no metric is named ${name}; did you mean ${meant}?`;
    const meant = [
      ['hostcpu', 'hostcpu', '{"host.cpu"}'],
      ['{"host.cpi"}', 'host.cpi', '{"host.cpu"}'],
      ['sum(rate(node_laod1[5m]))', 'node_laod1', 'node_load1'],
      ['absent(node_load)', 'node_load', 'node_load1'],
    ] as const;
    for (const rest of ['&time=1000', '&start=1000&end=1060&step=30']) {
      for (const [text, name, spelled] of meant) {
        expect((await ask(text, rest)).infos, text).to.deep.equal([toldOf(name, spelled)]);
      }
    }
    for (const text of ['something', 'node_load1{host="b"}', 'node_load1 > 100', '{host="b"}']) {
      expect((await ask(text)).infos, text).to.equal(undefined);
    }
    await client.ingest(lineOf('hostcpu'));
    expect((await ask('hostcpu')).infos).to.equal(undefined);
  });

  it('are not found if their underscore form is ambiguous or exists itself', async () => {
    await client.ingest([lineOf('disk.used'), lineOf('disk-used')].join('\n'));
    const several = await ask('disk_used');
    expect(namesIn(several)).to.deep.equal([]);
    expect(several.infos).to.deep.equal([
      'PromQL info: no metric is named disk_used; none was read, because several become it ' +
        'under Prometheus\' escaping: {"disk-used"}, {"disk.used"}',
    ]);
    await client.ingest(lineOf('disk_used'));
    const itself = await ask('disk_used');
    expect(namesIn(itself)).to.deep.equal(['disk_used']);
    expect(itself.infos).to.equal(undefined);
    // Stored itself, and without a value that passes.
    for (let round = 0; round < 2; round += 1) {
      const empty = await ask('disk_used > 100');
      expect([namesIn(empty), empty.infos]).to.deep.equal([[], undefined]);
      const other = await ask('disk_used{host="b"}');
      expect([namesIn(other), other.infos]).to.deep.equal([[], undefined]);
    }
  });

  it('are found like by escaping every name', async () => {
    const random = new Random(testSeed);
    const parts = ['a', 'b2', 'é', '.', '-', '_', ':', '9', '/', ' ', 'Z', '𝄞'];
    const stored = new Set<string>(['host.cpu', 'disk.used', 'disk-used', 'disk_used']);
    while (stored.size < 400) {
      const size = 1 + random.below(5);
      const name = Array.from({ length: size }, () => parts[random.below(parts.length)]).join('');
      if (name.trim() === name) stored.add(name);
    }
    const ingested = await client.ingest([...stored].map(lineOf).join('\n'));
    expect(ingested).to.equal(stored.size);
    let found = 0;
    for (const name of new Set([...stored].map(escaped))) {
      const meant = [...stored].filter((one) => escaped(one) === name);
      const wanted = meant.includes(name) ? [name] : meant.length === 1 ? meant : [];
      if (!/^[A-Za-z_:][\w:]*$/.test(name)) continue;
      const answered = await ask(name);
      if (answered.infos?.[0]?.includes('too many names begin alike') === true) continue;
      expect(namesIn(answered), name).to.deep.equal(wanted);
      expect(answered.infos?.length ?? 0, name).to.equal(meant.includes(name) ? 0 : 1);
      if (wanted.length > 0 && !meant.includes(name)) found += 1;
    }
    expect(found).to.be.above(10);
  });
});
