/** Queries that create or sort many or long texts, to measure the harm that one client can do. */
import { jsonRequest } from './connection.js';

/**
 * The series of `wide`, each with a text beside its number, and of `fleet`, whose texts have
 * numbers.
 */
export const wideSeries = 6_000;
export const fleetSeries = 60_000;
/** The size of the only label of the only series of `big`, in bytes. */
export const bigLabelSize = 15_000;
/** The number of samples of the only series of `long`. */
export const longSamples = 400_000;

export interface Attack {
  readonly name: string;
  readonly request: Buffer;
}

const from = 'from wide where time >= 0';
const long = 's'.repeat(15_000);
const digits = '9'.repeat(14_000);
/** Each alternative is a step of the compiled pattern, which tries it at every character. */
const words = (count: number): string =>
  Array.from({ length: count }, (_, at) => `w${String(at)}`).join('|');
const repeated = (text: string, count: number, between = ','): string =>
  Array.from({ length: count }, () => text).join(between);

function nested(depth: number, inner: string, rest: string): string {
  return `${'label_replace('.repeat(depth)}${inner}${rest.repeat(depth)}`;
}

export const promqlAttacks: readonly Attack[] = [
  asked('label_join of long texts', `label_join(wide,"x","${long}","i")`),
  asked('label_join of 2,000 texts', `count(label_join(wide,"x","",${repeated('"a"', 1_500)}))`),
  asked('label_replace doubled ten times', nested(10, 'wide', ',"a","$1$1","a","(.*)")')),
  asked(
    'label_replace by a large pattern',
    nested(40, `label_join(one,"x","${long}","i","a")`, `,"y","$1","x","(?:${words(24)}|.)*(s)")`),
  ),
  asked(
    'label_replace of many long texts',
    `count(label_replace(label_join(wide,"x","${long.slice(0, 5_000)}","a","i"),"y","$2","x","(.*)s(.*)"))`,
  ),
  asked('sort_by_label of 60,000 names', 'sort_by_label(fleet,"n")'),
  asked('sort_by_label of two keys', 'count(sort_by_label_desc(fleet,"rack","n","i"))'),
  asked(
    'sort_by_label of long digits',
    `count(sort_by_label(label_join(wide,"x","${digits}","a","i"),"x"))`,
  ),
  asked('sort of 60,000 values', 'count(sort_desc(fleet))'),
  asked('topk of 60,000', 'topk(50000, fleet)'),
  asked('topk of made texts', `topk(3000, label_join(wide,"x","${long}","i"))`),
  asked('count_values', 'count_values("v", fleet)'),
  asked('groups of names', 'sum by (n) (fleet)'),
  asked('groups of made texts', `count(sum by (x) (label_join(wide,"x","${long}","i")))`),
  asked('matched on names', 'count(fleet * on (n) fleet)'),
  asked('or of made texts', `count(fleet or label_replace(fleet,"x","$1","n","(.*)"))`),
  asked('a huge answer', 'fleet'),
  asked('a pattern over all names', 'count(fleet{n=~".*(1.*2|3.*4|5.*6).*9"})'),
];

export const seriesqlAttacks: readonly Attack[] = [
  stated('like in one row', oneRow(`like '%${'s'.repeat(250)}x'`, 220)),
  stated(
    'patterns in one row',
    `select ${texts(400, (at) => `regexp_extract(concat(tag.k,'${String(at)}'),'(?:${words(20)}|.)*(y)',1)`)} from big where time >= 0`,
  ),
  stated('upper in one row', `select ${nestedCalls('upper', 60)} from big where time >= 0`),
  stated(
    'replace in one row',
    `select ${texts(600, (at) => `length(replace(tag.k,'s','${String(at)}'))`)} from big where time >= 0`,
  ),
  stated('like', `select count(*) ${from} and concat('${long}',tag.i) like '%${'s'.repeat(250)}x'`),
  stated(
    'patterns',
    `select count(*) ${from} and concat('${long}',tag.i) !~ '(?:${words(20)}|.)*y'`,
  ),
  stated('made keys', `select concat('${long}',tag.i) as k, count(*) ${from} group by k limit 1`),
  stated(
    'upper and replace',
    `select count(distinct upper(replace(concat('${long}',tag.i),'s','tu'))) ${from}`,
  ),
  stated(
    'a made order',
    `select tag.i, value ${from} order by concat('${long}',tag.i) desc limit 9`,
  ),
  stated('an order of names', `select tag.n, value from fleet where time >= 0 order by tag.n desc`),
  stated('distinct texts', `select count(distinct concat('${long}',tag.i)) ${from}`),
  stated(
    'largest texts',
    `select max(concat('${long}',tag.i)), first(concat('${long}',tag.a)) ${from}`,
  ),
  stated('groups of names', 'select tag.n, count(*) from fleet where time >= 0 group by tag.n'),
  stated(
    'texts of rows',
    `select concat('${long}',tag.i), concat('${long}',tag.a) ${from} limit 4000`,
  ),
  stated(
    'a huge answer',
    `select time, value, concat('v',cast(value as string)) from long where time >= 0`,
  ),
  stated(
    'samples by text',
    `select substr(cast(value as string),1,4) as k, count(*) from long where time >= 0 group by k`,
  ),
  stated(
    'an order by text',
    `select value from long where time >= 0 order by cast(value as string) desc limit 10`,
  ),
  stated('windows of texts', `select lag(concat('${long.slice(0, 900)}',tag.i)) ${from}`),
];

/** The heaviest work within one row, during which no other query gets a turn. */
export const oneRowAttacks: readonly Attack[] = [
  asked(
    'label_replace of one text',
    nested(15, `label_join(one,"x","${long}","i","a")`, `,"y","$1","x","(?:${words(6)}|.)*(s)")`),
  ),
  ...seriesqlAttacks.filter(({ name }) => name.endsWith(' in one row')),
];

function asked(name: string, query: string): Attack {
  const body = new URLSearchParams({ query, time: '1' }).toString();
  return { name: `PromQL, ${name}`, request: formRequest('/api/v1/query', body) };
}

function stated(name: string, text: string): Attack {
  return { name: `SeriesQL, ${name}`, request: jsonRequest('/api/v1/seriesql', text) };
}

function formRequest(path: string, body: string): Buffer {
  const type = 'application/x-www-form-urlencoded';
  const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\n`;
  return Buffer.from(`${head}Content-Length: ${String(body.length)}\r\n\r\n${body}`);
}

/** `count` tests on the long label of one series. None of them is true. */
function oneRow(test: string, count: number): string {
  return `select ${repeated(`tag.k ${test}`, count, ' or ')} from big where time >= 0`;
}

function nestedCalls(name: string, depth: number): string {
  return `${`${name}(`.repeat(depth)}tag.k${')'.repeat(depth)}`;
}

function texts(count: number, textOf: (at: number) => string): string {
  return Array.from({ length: count }, (_, at) => textOf(at)).join(',');
}
