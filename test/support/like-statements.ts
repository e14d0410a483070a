/** Random statements; many of them differ from others only in FROM and WHERE. */
import type { Random } from './random.js';

const around: readonly (readonly [string, string])[] = [
  ['select time_bucket(1m, time) as t, max(value) from', 'group by t order by t'],
  ['select time_bucket(1m, time) as t, avg(value) from', 'group by t fill(null)'],
  ['select time_bucket(1mo, time) as t, count(*) from', 'group by t having count(*) > 1 limit 5'],
  ['select tag.host, last(value) from', 'group by tag.host order by 2 desc limit 3 offset 1'],
  ['select time, value from', 'order by time desc limit 10'],
  ['select * from', ''],
  ['select sum(value) from', ''],
  ['select last(value) from', ''],
  ['select metric, tag.host from', ''],
  ['select tag.host, value, lag(value) from', 'limit 4'],
  ['select now(), value from', 'limit 4'],
  ['select time_bucket(1m, time, now()) as t, max(value) from', 'group by t'],
  ['select value from', "order by match(tag.host, '^a{100}') limit 2"],
  ['select time, time + 1 as later, later * 2 from', 'limit 0'],
  ['select wrong(value) from', ''],
  ['select max(value) from', 'group by time_bucket(1m, time) ;'],
  ["select concat(tag.host, ' from ') from", ' ; '],
  ['select value /* from */ from', 'limit 3 -- all'],
  ['select value -- from \n from', 'order\nby time'],
];
const sources = [
  'cpu',
  'cpu.user',
  'cpu.*',
  "m{host='a'}",
  "m{host!='b', zone=~'e.*'}",
  'by_id(1, 2)',
  '"m"',
  'm,',
  'm where',
  'm /*',
];
const numbers = [
  '0',
  '1',
  '-5',
  '1700000000000',
  '2.5',
  '9223372036854775807',
  '-9223372036854775808',
];
const names = ["'a'", "'it''s'", "''", "'2022-03-27T10:00:00Z'", "'é😀'"];
const conditions: readonly ((random: Random) => string)[] = [
  (random) => `time >= ${random.pick(numbers)}`,
  (random) => `time < ${random.pick(numbers)}`,
  (random) => `time between ${random.pick(numbers)} and ${random.pick(numbers)}`,
  (random) => `time >= ${random.pick(names)}`,
  () => 'time > now() - 1h',
  () => 'time in (1, 5, 2)',
  (random) => `tag.host = ${random.pick(names)}`,
  (random) => `host in (${random.pick(names)}, ${random.pick(names)})`,
  (random) => `match(tag.host, ${random.pick(names)})`,
  (random) => `tag.host like ${random.pick(names)}`,
  () => 'tag.host is null',
  (random) => `series_id = ${random.pick(numbers)}`,
  (random) => `value > ${random.pick(numbers)}`,
  (random) => `(time > 5 or tag.host = ${random.pick(names)})`,
  () => 'not (time > 5)',
  () => 'null',
  () => 'sum(value) > 1',
  () => 'tag.host > 5',
  () => 'time > 5 -- later',
  () => '(time > 5',
  () => 'time > 5)',
  () => "tag.host = 'a group by time_bucket(1m, time) ;",
  () => "tag.host = ' group by t order by t",
  () => "tag.host = ' from m where '",
  () => 'time > 5 group by time_bucket(1m, time) as t',
  () => 'time > 5 /* limit 4',
];

function whereOf(random: Random): string {
  const count = random.below(4);
  if (count === 0) return '';
  const all = Array.from({ length: count }, () => random.pick(conditions)(random));
  return `where ${all.join(' and ')}`;
}

/** Some statements are invalid. */
export function likeStatement(random: Random): string {
  const [before, behind] = random.pick(around);
  const gap = random.pick(['', ' ', ' ', ' ', '\n', '  ']);
  const text = `${before} ${random.pick(sources)} ${whereOf(random)}${gap}${behind}`;
  return random.below(8) === 0 ? text.slice(0, random.below(text.length)) : text;
}
