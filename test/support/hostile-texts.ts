/** Texts designed to be slow to process, or to grow. */

/** Texts of about `size` characters over a metric `m` with a label `host`. */
export const hostileShapes: Readonly<Record<string, (size: number) => string>> = {
  parentheses: (size) => `select ${'('.repeat(size)}`,
  'closed parentheses': (size) => `select ${'()'.repeat(size / 2)}`,
  brackets: (size) => `select ${'['.repeat(size)}`,
  braces: (size) => `select 1 from m${'{'.repeat(size)}`,
  matchers: (size) => `select 1 from m{${"host='a',".repeat(size / 9)}host='a'}`,
  sums: (size) => `select ${'1+'.repeat(size / 2)}1`,
  comparisons: (size) => `select ${'1<'.repeat(size / 2)}1`,
  minuses: (size) => `select ${'- '.repeat(size / 2)}1`,
  nots: (size) => `select ${'not '.repeat(size / 4)}true`,
  ands: (size) => `select ${'true and '.repeat(size / 9)}true`,
  conditions: (size) => `select value from m where time>0${' and value>0'.repeat(size / 12)}`,
  commas: (size) => `select ${','.repeat(size)}`,
  items: (size) => `select ${'1,'.repeat(size / 2)}1`,
  aggregates: (size) => `select ${'sum(value),'.repeat(size / 11)}1 from m where time>0`,
  'a list of numbers': (size) => `select 1 in (${'1,'.repeat(size / 2)}1)`,
  quotes: (size) => `select '${"''".repeat(size / 2)}`,
  'double quotes': (size) => `select ${'"'.repeat(size + 1)}`,
  'a pattern of groups': (size) => `select 'a' =~ '${'('.repeat(size)}'`,
  'a pattern of choices': (size) =>
    `select '${'a'.repeat(size / 2)}' =~ '(a|a)*${'a?'.repeat(size / 8)}b'`,
  'a pattern of likes': (size) =>
    `select '${'a'.repeat(size / 2)}' like '${'%a'.repeat(size / 4)}b'`,
  keys: (size) => `select count(*) from m group by ${'value,'.repeat(size / 6)}value`,
  orders: (size) => `select value from m where time>0 order by ${'value,'.repeat(size / 6)}value`,
  cases: (size) => `select case ${'when true then 1 '.repeat(size / 17)}end`,
  digits: (size) => `select ${'9'.repeat(size)}`,
  comments: (size) => '/*'.repeat(size / 2),
  'closed comments': (size) => `${'/**/'.repeat(size / 4)}select 1`,
  'dashed comments': (size) => `${'--\n'.repeat(size / 3)}select 1`,
  'different aggregates': (size) => `select ${list(size / 15, (at) => `sum(value+${at})`)} ${of}`,
  'different windows': (size) => `select ${list(size / 15, (at) => `lag(value+${at})`)} ${of}`,
  'different keys': (size) => {
    const keys = list(size / 26, (at) => `value+${at}`);
    return `select ${keys} from m group by ${keys}`;
  },
  'one name for all columns': (size) => `select ${list(size / 5, () => '1 a')}`,
  'a list of texts': (size) =>
    `select 1 ${of} and tag.host in (${list(size / 9, (at) => `'${at}'`)})`,
  'many times': (size) =>
    `select value from m where time=1${words(size / 15, (at) => `or time=${2 * at}`)}`,
  'many times left out': (size) =>
    `select value ${of}${words(size / 17, (at) => `and time!=${2 * at}`)}`,
  'many ranges of time': (size) =>
    `select value from m where time=1${words(size / 30, (at) => `or time between ${4 * at} and ${4 * at + 1}`)}`,
  'many ids': (size) =>
    `select value from by_id(1,${list(size / 6, (at) => String(at))}) where time>0`,
  'many rows to insert': (size) => `insert into x values ${list(size / 10, (at) => `(${at},1)`)}`,
  'many labels to insert': (size) =>
    `insert into x{${list(size / 11, (at) => `k${at}='v'`)}} values (1,1)`,
  'texts that grow': (size) =>
    `select length(${'replace('.repeat(8)}'${'a'.repeat(size / 16)}'${`,'a','${'a'.repeat(size / 16)}')`.repeat(8)})`,
  'patterns that blow up': (size) => `select 'aaaa' =~ '${'(a{1,100}){1,10}'.repeat(size / 20)}'`,
  'patterns of repetitions': (size) =>
    `select ${list(size / 22, (at) => `'a' =~ '(a{1,100}){1,9}${at}'`)}`,
  'patterns of classes': (size) => `select ${list(size / 17, (at) => `'a' =~ '\\pL${at}'`)}`,
  'many small patterns': (size) => `select ${list(size / 14, (at) => `'a' =~ '${at}'`)}`,
  'texts made again and again': (size) =>
    `select ${list(size / 460, () => `length(replace('${'a'.repeat(200)}','a','${'b'.repeat(200)}'))`)}`,
  'likes that look again at each place': (size) =>
    `select ${list(size / 4140, () => `'${'a'.repeat(2048)}' like '%${'a'.repeat(2048)}b'`)}`,
  'betweens of betweens': (size) =>
    `select value ${of} and value between 0 and 1${' between false and true'.repeat(Math.min(400, size / 23))}`,
  'lists of lists': (size) =>
    `select value ${of} and value in (0,1)${' in (true,false)'.repeat(Math.min(400, size / 16))}`,
  'an alias ordered by often': (size) =>
    `select ${'value+'.repeat(450)}1 as x ${of} order by ${list((size - 3000) / 2, () => 'x')}`,
  'an alias grouped by often': (size) =>
    `select ${'value+'.repeat(450)}1 as x from m group by ${list((size - 3000) / 2, () => 'x')}`,
  'a position ordered by often': (size) =>
    `select ${'max(value)+'.repeat(400)}1 from m group by tag.a order by ${list((size - 5000) / 2, () => '1')}`,
  'a pattern with a memory': (size) =>
    `select '${'a'.repeat(size / 2)}!' =~ '^(([a-z])+.)+[A-Z]([a-z])+$'`,
  'an unknown word': (size) => `select ${'x'.repeat(size)} from m`,
  'an unknown function': (size) => `select ${'x'.repeat(size)}(1)`,
  newlines: (size) => `${'\n'.repeat(size)}x`,
};

const of = 'from m where time>0';

function list(count: number, item: (at: number) => string): string {
  return Array.from({ length: Math.floor(count) }, (_, at) => item(at)).join(',');
}

function words(count: number, item: (at: number) => string): string {
  return Array.from({ length: Math.floor(count) }, (_, at) => ` ${item(at)}`).join('');
}
