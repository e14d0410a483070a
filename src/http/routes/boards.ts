/** Routes of boards: named lists of charts and statements. */

import { AppError } from '../../common/errors/app-error.js';
import { bodySchema, field, required, type Field } from '../fields/body-schema.js';
import { isObject, member, type JsonObject } from '../fields/json-body.js';
import * as json from '../fields/json-schema.js';
import { jsonReply } from '../route/reply.js';
import { jsonBody } from '../route/route-body.js';
import { writeErrors } from '../route/write-errors.js';
import { publicRoute } from './public-route.js';

import type { ErrorCode } from '../../common/errors/catalog.js';
import type { StoredPanel } from '../../operations/boards.js';

const languages = ['seriesql', 'promql'] as const;
const kOptionCountMax = 16;

const panel = json.named(
  'Panel',
  json.object(
    {
      title: json.said(json.text, 'Title of the panel.'),
      metric: json.said(json.text, 'Metric of a chart; required if `statement` is absent.'),
      statement: json.said(json.text, 'Statement; required if `metric` is absent.'),
      language: json.said({ enum: languages }, 'Language of the statement; `seriesql` if absent.'),
      options: json.said(
        json.textMap,
        'View options, the parameters of the page’s URL: `by`, `w`, `n`, `sort`, `y`, `step`.',
      ),
    },
    ['metric', 'statement', 'language', 'options'],
  ),
);

const board = json.named(
  'Board',
  json.object(
    {
      id: { ...json.i64, minimum: 1 },
      name: json.text,
      range: json.text,
      refresh: json.text,
      panels: json.listOf(json.referenceTo(panel)),
    },
    ['range', 'refresh'],
  ),
  [panel],
);

const panels: Field<readonly StoredPanel[]> = {
  isRequired: false,
  purpose: 'The panels in order, at most 16 KiB in total.',
  schema: json.listOf(panel.schema),
  read: readPanels,
};

function readPanels(
  object: JsonObject,
  key: string,
  code: ErrorCode,
): readonly StoredPanel[] | undefined {
  const value = member(object, key);
  if (value === undefined) return undefined;
  if (!Array.isArray(value)) throw new AppError(code, `${key} must be a list`);
  return value.map((one: unknown, at) => readPanel(one, `${key}[${String(at)}]`, code));
}

function readPanel(value: unknown, where: string, code: ErrorCode): StoredPanel {
  if (!isObject(value)) throw new AppError(code, `${where} must be an object`);
  const textAt = (key: string): string | undefined => {
    const text = member(value, key);
    if (text === undefined || typeof text === 'string') return text;
    throw new AppError(code, `${where}.${key} must be a string`);
  };
  const title = textAt('title');
  if (title === undefined) throw new AppError(code, `${where}.title is required`);
  const written = textAt('language');
  const language = languages.find((one) => one === written);
  if (language !== written) {
    throw new AppError(code, `${where}.language must be one of ${languages.join(', ')}`);
  }
  const [metric, statement] = [textAt('metric'), textAt('statement')];
  const options = readOptions(member(value, 'options'), `${where}.options`, code);
  return {
    title,
    ...(metric === undefined ? {} : { metric }),
    ...(statement === undefined ? {} : { statement }),
    ...(language === undefined ? {} : { language }),
    ...(options === undefined ? {} : { options }),
  };
}

function readOptions(
  value: unknown,
  where: string,
  code: ErrorCode,
): Readonly<Record<string, string>> | undefined {
  if (value === undefined) return undefined;
  if (!isObject(value)) throw new AppError(code, `${where} must be an object`);
  const pairs = Object.entries(value).map(([key, text]) => {
    if (typeof text !== 'string') throw new AppError(code, `${where}.${key} must be a string`);
    return [key, text] as const;
  });
  if (pairs.length > kOptionCountMax) {
    throw new AppError(code, `${where} has more than ${String(kOptionCountMax)} keys`);
  }
  return Object.fromEntries(pairs);
}

const writtenFields = {
  name: required(field.text('Name of the board.')),
  range: field.text('Time range of all panels, as the page writes it: `6h`, `today`.'),
  refresh: field.text(
    'Refresh interval of the page: `2s`, `5s`, `10s`, `1m` or `off`; `off` if absent.',
  ),
  panels: required(panels),
};

const written = {
  name: 'Hosts',
  range: '6h',
  refresh: '10s',
  panels: [
    { title: 'Load by host', metric: 'cpu.load', options: { by: 'host' } },
    { title: 'Latest', statement: 'select tag.host, last(value) from cpu.load group by 1' },
  ],
};

const stored = { id: 4, ...written };
const changed = { ...stored, name: 'All hosts' };
const idField = required(field.u64('The id of the board.'));
const ofChanges = ['board_not_found', ...writeErrors] as const;

export const boardRoutes = [
  publicRoute({
    method: 'GET',
    path: '/api/v1/boards',
    scope: 'read',
    tag: 'boards',
    summary: 'All boards, oldest first; at most 100.',
    answer: { purpose: 'The boards.', schema: board, isArray: true },
    errors: [],
    example: { answer: [] },
    handler: async (_, { operations }) => jsonReply(JSON.stringify(await operations.listBoards())),
  }),
  publicRoute({
    method: 'POST',
    path: '/api/v1/boards/write',
    scope: 'write',
    tag: 'boards',
    summary: 'Stores a board; on disk before the answer.',
    body: jsonBody(bodySchema(writtenFields)),
    answer: { status: 201, purpose: 'The board as stored.', schema: board },
    errors: ['board_limit', ...writeErrors],
    limits: ['memory_limit_bytes'],
    example: { body: written, answer: stored },
    handler: async ({ body }, { operations }) =>
      jsonReply(JSON.stringify(await operations.writeBoard(body)), 201),
  }),
  publicRoute({
    method: 'POST',
    path: '/api/v1/boards/update',
    scope: 'write',
    tag: 'boards',
    summary: 'Replaces a board and keeps its id; on disk before the answer.',
    body: jsonBody(bodySchema({ id: idField, ...writtenFields })),
    answer: { purpose: 'The board as stored.', schema: board },
    errors: ofChanges,
    limits: ['memory_limit_bytes'],
    example: { body: changed, answer: changed },
    handler: async ({ body: { id, ...text } }, { operations }) =>
      jsonReply(JSON.stringify(await operations.writeBoard(text, id))),
  }),
  publicRoute({
    method: 'POST',
    path: '/api/v1/boards/delete',
    scope: 'write',
    tag: 'boards',
    summary: 'Deletes a board; on disk before the answer.',
    body: jsonBody(bodySchema({ id: idField })),
    answer: { purpose: 'The deleted board.', schema: board },
    errors: ofChanges,
    limits: ['memory_limit_bytes'],
    example: { body: { id: 4 }, answer: changed },
    handler: async ({ body }, { operations }) =>
      jsonReply(JSON.stringify(await operations.deleteBoard(body.id))),
  }),
];
