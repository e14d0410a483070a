/** Status and settings of the server. */

import * as json from '../../fields/json-schema.js';
import { jsonReply } from '../../route/reply.js';

import { adminRoute, noParameters } from '../admin-route.js';

const shared = { scope: 'admin', tag: 'operate' } as const;

const statusSchema = json.named(
  'AdminStatus',
  json.object({
    pid: json.count,
    uptime_seconds: json.number,
    version: json.text,
    started_at: json.said(json.text, 'ISO 8601.'),
    data_dir: json.text,
    admin: json.object({ enabled: json.flag, listen: json.text }),
    listen: json.said(json.text, 'Address of the public listener.'),
    transport: { enum: ['uws', 'node'] },
    tls: json.flag,
    status: { enum: ['ok', 'degraded'] },
    reasons: json.said(json.texts, 'The causes of `degraded`.'),
    warnings: json.texts,
    restart_required: json.said(json.texts, 'Changed settings that wait for a restart.'),
  }),
);

export const status = adminRoute({
  ...shared,
  method: 'GET',
  path: '/__admin/status',
  summary: 'The process, its version and its state.',
  answer: { purpose: 'The process and its listeners.', schema: statusSchema },
  example: {
    answer: {
      pid: 4321,
      uptime_seconds: 86400.5,
      version: '0.1.0',
      started_at: '2030-01-01T00:00:00.000Z',
      data_dir: '/var/lib/seriesdb',
      admin: { enabled: true, listen: '127.0.0.1:9090' },
      listen: '127.0.0.1:8080',
      transport: 'uws',
      tls: false,
      status: 'ok',
      reasons: [],
      warnings: [],
      restart_required: [],
    },
    isSketch: true,
  },
  handler: async (_asked, context) => jsonReply(JSON.stringify(await context.status())),
});

const configSchema = json.named(
  'AdminConfig',
  json.object({
    settings: {
      type: 'object',
      additionalProperties: json.object(
        { value: {}, source: json.text, pending: { const: true } },
        ['pending'],
      ),
      description: 'By key; secrets are `<redacted>`. A pending setting has no effect yet.',
    },
    restart_required: json.texts,
  }),
);

export const config = adminRoute({
  ...shared,
  method: 'GET',
  path: '/__admin/config',
  summary: 'Every setting in force, with the source of its value.',
  answer: { purpose: 'The settings.', schema: configSchema },
  example: {
    answer: {
      settings: {
        listen: { value: '127.0.0.1:8080', source: 'default' },
        fsync: { value: 'always', source: 'file' },
      },
      restart_required: [],
    },
    isSketch: true,
  },
  handler: (_asked, context) => jsonReply(JSON.stringify(context.config())),
});

const reloadSchema = json.named(
  'Reload',
  json.object(
    {
      status: { const: 'reload_requested' },
      restart_required: json.said(json.texts, 'Changed settings that need a restart.'),
    },
    ['restart_required'],
  ),
);

export const reload = adminRoute({
  ...shared,
  method: 'POST',
  path: '/__admin/reload',
  summary: 'Reloads the settings; an invalid file changes nothing.',
  query: noParameters,
  answer: { status: 202, purpose: 'The settings are in force.', schema: reloadSchema },
  errors: ['invalid_configuration', 'reload_unavailable'],
  example: { answer: { status: 'reload_requested' } },
  handler: async (_asked, context) => {
    const waiting = await context.reload();
    const rest = waiting.length === 0 ? {} : { restart_required: waiting };
    return jsonReply(JSON.stringify({ status: 'reload_requested', ...rest }), 202);
  },
});
