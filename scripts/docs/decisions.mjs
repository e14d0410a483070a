// Generates docs/decisions/README.md: every decision by topic, with its number, title and status.
// Finds pages without a status or a topic, and superseded pages without a successor.
import path from 'node:path';

import { filesBelow, readText } from '../project.mjs';

const folder = 'docs/decisions';
const topics = [
  'storage',
  'codec',
  'index',
  'memory',
  'ingest',
  'queries',
  'SeriesQL',
  'PromQL',
  'HTTP',
  'security',
  'protocols',
  'operations',
  'CLI',
  'page',
  'build and tests',
];
const form = 'needs "Status: … · Topic: …" as its third line; docs/internals/adding.md says how';

/** The linked pages of a status: `superseded by [0039](0039-compaction-in-the-engine.md)`. */
const links = (text) => [...text.matchAll(/\[(\d{4})\]\(([^)]+)\)/g)];

function* faultsOf(decision, files) {
  const { file, number, title, status, topic } = decision;
  if (title === undefined) yield `${file} must begin with "# ${number} Title"`;
  if (status === undefined) return yield `${file} ${form}`;
  if (!topics.includes(topic)) {
    yield `${file}: "${topic}" is not a topic; use one of ${topics.join(', ')}`;
  }
  if (!/^(accepted$|(superseded|amended) by \[)/.test(status)) {
    yield `${file}: status must be "accepted", "superseded by [NNNN](…)" or "amended by [NNNN](…)"`;
  }
  for (const [, linked, target] of links(status)) {
    if (!target.startsWith(`${linked}-`) || !files.includes(`${folder}/${target}`)) {
      yield `${file}: its status links to ${target}, which is not the page of ${linked}`;
    }
    if (linked <= number)
      yield `${file}: its status names ${linked}, which is not a later decision`;
  }
}

function parse([file, text]) {
  const number = path.basename(file).slice(0, 4);
  const [first, , third = ''] = text.split('\n');
  const title = new RegExp(`^# ${number}:? (.+)$`).exec(first)?.[1];
  const [, status, topic] = /^Status: (.+) · Topic: (.+)$/.exec(third) ?? [];
  return { file, number, title, status, topic };
}

function readPages() {
  const files = filesBelow(folder, ['.md']).filter((file) => !file.endsWith('/README.md'));
  return Object.fromEntries(files.map((file) => [file, readText(file)]));
}

/** The index of `pages`, which are texts by path. Adds the pages' faults to `problems`. */
export function decisionsPage({ pages = readPages(), problems, note, table }) {
  const files = Object.keys(pages);
  const decisions = Object.entries(pages).map(parse);
  const numbers = decisions.map(({ number }) => number);
  for (const [at, one] of decisions.entries()) {
    problems.push(...faultsOf(one, files));
    if (numbers.indexOf(one.number) !== at) problems.push(`${one.file}: its number is taken`);
  }
  const rowOf = ({ file, number, title, status }) => [
    ...[`[${number}](${path.basename(file)})`, title, status],
  ];
  const parts = topics.map((topic) => {
    const rows = decisions.filter((one) => one.topic === topic).map(rowOf);
    const heading = `## ${topic[0].toUpperCase()}${topic.slice(1)}`;
    return rows.length === 0
      ? ''
      : `${heading}\n\n${table(['number', 'decision', 'status'], rows)}`;
  });
  return [
    note,
    '# Decisions',
    'Each page says what was decided, why, and which alternatives were refused. A superseded page is\n' +
      'history. An amended page holds, except where the later page says otherwise.',
    ...parts.filter((part) => part !== ''),
  ].join('\n\n');
}
