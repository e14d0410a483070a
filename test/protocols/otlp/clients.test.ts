/** The exporters of OpenTelemetry's JavaScript SDK, unmodified, in protobuf and in JSON. */
import { CompressionAlgorithm } from '@opentelemetry/otlp-exporter-base';
import {
  AggregationTemporalityPreference,
  OTLPMetricExporter as JsonExporter,
} from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPMetricExporter as ProtobufExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  MeterProvider,
  PeriodicExportingMetricReader,
  type PushMetricExporter,
} from '@opentelemetry/sdk-metrics';
import { expect } from 'chai';

import { Client } from '../../support/client.js';
import { killServers, startServer, temporaryDirectory, type Server } from '../../support/server.js';

const kToken = 'secret';

interface Exported {
  readonly server: Server;
  readonly exporter: PushMetricExporter;
  readonly service: string;
}

/** Records one measurement of every kind and exports them at once. */
async function exportOnce({ exporter, service }: Exported): Promise<void> {
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
  const resource = resourceFromAttributes({
    ...{ 'service.name': service, 'service.instance.id': 'one', 'k8s.pod.name': 'pod-1' },
    'process.command_args': ['node', 'app.js'],
  });
  const meter = new MeterProvider({ resource, readers: [reader] }).getMeter('shop', '1.2.3');
  const orders = meter.createCounter('shop.orders', { unit: '{order}', description: 'Orders.' });
  orders.add(3, { country: 'de', isGift: true });
  orders.add(1.5, { country: 'de', isGift: true });
  orders.add(2, { country: 'fr' });
  meter.createUpDownCounter('shop.queue').add(-4);
  meter.createGauge('shop.temperature', { unit: 'Cel' }).record(21.25, { room: 7 });
  const duration = meter.createHistogram('shop.duration', {
    unit: 's',
    advice: { explicitBucketBoundaries: [0.1, 0.5, 1] },
  });
  for (const seconds of [0.0625, 0.03125, 0.625, 3]) duration.record(seconds, { route: '/buy' });
  meter.createObservableGauge('shop.open').addCallback((result) => {
    result.observe(1);
  });
  await reader.shutdown();
}

const expected = [
  ['shop.duration_bucket', '{"le":"+Inf","route":"/buy"}', 4],
  ['shop.duration_bucket', '{"le":"0.1","route":"/buy"}', 2],
  ['shop.duration_bucket', '{"le":"0.5","route":"/buy"}', 2],
  ['shop.duration_bucket', '{"le":"1","route":"/buy"}', 3],
  ['shop.duration_count', '{"route":"/buy"}', 4],
  ['shop.duration_sum', '{"route":"/buy"}', 3.71875],
  ['shop.open', '{}', 1],
  ['shop.orders', '{"country":"de","isGift":"true"}', 4.5],
  ['shop.orders', '{"country":"fr"}', 2],
  ['shop.queue', '{}', -4],
  ['shop.temperature', '{"room":"7"}', 21.25],
  ['target_info', '{"process.command_args":"[\\"node\\",\\"app.js\\"]"}', 1],
] as const;

/** The labels of every series of the service. */
const common = ['job', 'instance', 'k8s.pod.name', 'service.name', 'service.instance.id'];

interface Line {
  readonly metric: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

async function storedOf({ server, service }: Exported): Promise<readonly unknown[]> {
  const client = new Client(server.port);
  const headers = { authorization: `Bearer ${kToken}` };
  const { body } = await client.request('GET', '/api/v1/export', { headers });
  client.close();
  return body
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)
    .filter(({ labels }) => labels['job'] === service)
    .map(({ metric, labels, value }) => [metric, ownLabels(labels), value])
    .sort((a, b) => (String(a) < String(b) ? -1 : 1));
}

function ownLabels(labels: Line['labels']): string {
  expect(labels['instance']).to.equal('one');
  expect(labels['k8s.pod.name']).to.equal('pod-1');
  const own = Object.entries(labels).filter(([key]) => !common.includes(key));
  return JSON.stringify(Object.fromEntries(own));
}

const exporters = { protobuf: ProtobufExporter, JSON: JsonExporter };

for (const transport of ['uws', 'node'] as const) {
  describe(`OpenTelemetry's exporters, transport ${transport}`, function () {
    this.timeout(60_000);
    let server: Server;

    before(async () => {
      const env = { SERIESDB_TRANSPORT: transport, SERIESDB_AUTH_TOKEN: kToken };
      server = await startServer({ dataDir: temporaryDirectory(), env });
    });
    after(killServers);

    for (const [form, Exporter] of Object.entries(exporters)) {
      for (const compression of [CompressionAlgorithm.NONE, CompressionAlgorithm.GZIP]) {
        it(`write ${form}, compression ${compression}`, async () => {
          const service = `${form}-${compression}`;
          const exporter = new Exporter({
            url: `http://127.0.0.1:${String(server.port)}/v1/metrics`,
            headers: { authorization: `Bearer ${kToken}` },
            compression,
          });
          const exported = { server, exporter, service };
          await exportOnce(exported);
          expect(await storedOf(exported)).to.deep.equal(expected);
        });
      }
    }

    it('get a rejection of delta points, and do not resend them', async () => {
      const exporter = new ProtobufExporter({
        url: `http://127.0.0.1:${String(server.port)}/api/v1/otlp/v1/metrics`,
        headers: { authorization: `Basic ${Buffer.from(`otel:${kToken}`).toString('base64')}` },
        temporalityPreference: AggregationTemporalityPreference.DELTA,
      });
      await exportOnce({ server, exporter, service: 'delta' });
      const client = new Client(server.port);
      const headers = { authorization: `Bearer ${kToken}` };
      const { body } = await client.request('GET', '/metrics', { headers });
      client.close();
      const rejected = /seriesdb_protocol_rejected_total\{protocol="otlp",code="\w+"\} (\d+)/;
      // Two sums, of the counter and of the histogram.
      expect(rejected.exec(body)?.[1]).to.equal('3');
    });
  });
}
