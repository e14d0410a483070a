import { expect } from 'chai';

import { AppError } from '../../../src/common/errors/app-error.js';
import { TokenCursor } from '../../../src/query/seriesql/language/cursor.js';
import { parseStatement } from '../../../src/query/seriesql/language/parser.js';
import { QueryText } from '../../../src/query/seriesql/language/query-text.js';
import { countedText } from '../../support/counted-text.js';

import type { Expression, Statement } from '../../../src/query/seriesql/language/ast.js';

const parse = (text: string): Statement => parseStatement(new QueryText(text));

function errorOf(text: string): AppError {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error(`this was parsed: ${text.slice(0, 80)}`);
}

/** The tree as text, every operator in parentheses. */
function shape(node: Expression): string {
  switch (node.kind) {
    case 'integer':
    case 'float':
    case 'boolean':
      return String(node.value);
    case 'string':
      return `'${node.value}'`;
    case 'name':
      return node.parts.map(({ text }) => text).join('.');
    case 'negate':
      return `(-${shape(node.operand)})`;
    case 'not':
      return `(not ${shape(node.operand)})`;
    case 'binary':
      return `(${shape(node.left)} ${node.op} ${shape(node.right)})`;
    case 'and':
    case 'or':
      return `(${node.items.map(shape).join(` ${node.kind} `)})`;
    case 'between':
      return `(${shape(node.operand)} between ${shape(node.low)} ${shape(node.high)})`;
    case 'isNull':
      return `(${shape(node.operand)} is ${node.negated ? 'not null' : 'null'})`;
    case 'in':
      return `(${shape(node.operand)} in ${node.items.map(shape).join(',')})`;
    case 'call':
      return `${node.name}(${node.args.map(shape).join(',')})`;
    default:
      return node.kind;
  }
}

function expressionOf(text: string): Expression {
  const statement = parse(`select ${text}`);
  const item = statement.kind === 'select' ? statement.items[0] : undefined;
  if (item?.kind !== 'expression') throw new Error('not an expression');
  return item.expr;
}

describe('seriesql parser', () => {
  const precedence: readonly (readonly [string, string])[] = [
    ['1 + 2 * 3', '(1 + (2 * 3))'],
    ['1 - 2 - 3', '((1 - 2) - 3)'],
    ['(1 - 2) - (3 - 4)', '((1 - 2) - (3 - 4))'],
    ['-a * b', '((-a) * b)'],
    ['not a = b and c', '((not (a = b)) and c)'],
    ['not not a', '(not (not a))'],
    ['a or b and c or d', '(a or (b and c) or d)'],
    ['a && b || c', '((a and b) or c)'],
    ['a + 1 between 2 and 3 + 4 and d', '(((a + 1) between 2 (3 + 4)) and d)'],
    ['a is not null or b is null', '((a is not null) or (b is null))'],
    ['a in (1, 2) = true', '((a in 1,2) = true)'],
    ['-9223372036854775808', '-9223372036854775808'],
    ['1 <> 2', '(1 != 2)'],
  ];
  for (const [text, wanted] of precedence) {
    it(`binds ${text}`, () => {
      expect(shape(expressionOf(text))).to.equal(wanted);
    });
  }

  it('reads timestamps, durations, quotes and comments', () => {
    expect(expressionOf('2022-03-27T00:00:00.5+01:00')).to.include({
      kind: 'timestamp',
      value: 1648335600500000000n,
    });
    const duration = expressionOf('1h30m');
    expect(duration.kind === 'duration' && duration.value).to.deep.equal({
      nanoseconds: 5_400_000_000_000n,
      months: 0,
      grain: 'time',
    });
    expect(shape(expressionOf("'it''s' -- a comment\n /* and another */"))).to.equal("'it's'");
    expect(shape(expressionOf('"odd ""name"""'))).to.equal('odd "name"');
  });

  const refused: readonly (readonly [string, string, string])[] = [
    ['', 'query_required', 'line 1, column 1: the query is empty'],
    [' -- nothing\n', 'query_required', 'line 1, column 1: the query is empty'],
    ['select 9223372036854775808', 'parse_failed', 'column 8: this integer does not fit'],
    ['select 2022-02-30', 'parse_failed', 'column 8: no such date: 2022-02-30'],
    ['select 5q', 'parse_failed', 'column 8: malformed number 5q'],
    ['select 1e', 'parse_failed', 'column 8: malformed number 1e'],
    ['select 1.2.3', 'parse_failed', 'column 8: malformed number 1.2.3'],
    ["select 'a", 'parse_failed', 'column 8: this string is not closed'],
    ['select\n  a ++', 'parse_failed', 'line 2, column 7: expected an expression'],
    ['selct 1', 'parse_failed', 'did you mean select?'],
    ['select 1 form cpu', 'parse_failed', 'expected the end of the query, found "cpu"'],
    ['update cpu set a = 1', 'unsupported_statement', 'there is no UPDATE statement'],
    ['select 1 from a join b', 'unsupported_statement', 'there are no joins'],
    ['select (select 1)', 'unsupported_statement', 'there are no subqueries'],
    ['select a from b where c limit 1 order by d', 'parse_failed', 'clauses stand in this order'],
  ];
  for (const [text, code, part] of refused) {
    it(`answers ${code} to ${JSON.stringify(text)}`, () => {
      const error = errorOf(text);
      expect(error.code).to.equal(code);
      expect(error.message).to.contain(part);
    });
  }

  const recent: readonly (readonly [string, string])[] = [
    ['select avg(value) from m last 1h', 'now() - 1h'],
    ['select avg(value) from m since 1h', 'now() - 1h'],
    ['select avg(value) from m 90m', 'now() - 90m'],
    ["select avg(value) from m where tag.a = 'b' over the last 5 minutes", 'now() - 5m'],
    ['select avg(value) from m where last 2 days', 'now() - 2d'],
    ['select avg(value) from m group by tag.a last hour', 'now() - 1h'],
    ["select avg(value) from m range '30m'", 'now() - 30m'],
    ["select avg(value) from m since '2026-11-01'", 'now() - 1h'],
    ['select avg(value) from m last 5 h', 'now() - 5h'],
    ['select avg(value) from m last 1h 30m', 'now() - 1h30m'],
    ['select avg(value) from m last 90 ms', 'now() - 90ms'],
    ["select avg(value) from m since '5 D'", 'now() - 5d'],
  ];
  for (const [text, bound] of recent) {
    it(`says how to write the time range of ${JSON.stringify(text)}`, () => {
      const error = errorOf(text);
      expect(error.code).to.equal('parse_failed');
      expect(error.message).to.contain(
        `\nhint: a time range is a condition of WHERE: time >= ${bound}`,
      );
    });
  }

  for (const statement of ['drop metric a.b last 1h', 'delete from a.b since 1h']) {
    it(`says how to delete the time range of ${JSON.stringify(statement)}`, () => {
      const hint = 'write delete from a.b where time between now() - 1h and now()';
      expect(errorOf(statement).message).to.contain(`\nhint: ${hint}`);
    });
  }

  it('keeps the condition of a DELETE in its hint, and the direction of UNTIL', () => {
    const within = errorOf("delete from m where tag.host = 'a' last 1h").message;
    expect(within).to.contain(
      '\nhint: WHERE needs a time, too: (…) and time between now() - 1h and now()',
    );
    const until = errorOf("drop metric m until '2026-01-01'").message;
    expect(until).to.contain(
      "write delete from m where time between '2025-01-01' and '2026-01-01'",
    );
    expect(errorOf('select 1 from m last 1M').message).not.to.contain('time range');
  });

  const other: readonly (readonly [text: string, hint: string])[] = [
    ['select value from m where time > now() - 24H', 'write 24h'],
    ['select value from m where time > now() - 24 hours', 'write 24h'],
    ['select value from m where (time > now() - 1 day) limit 1', 'write 1d'],
    ['select avg(value) from m by 1h', 'write group by time_bucket(1h, time)'],
    ['select avg(value) by host from m', 'write group by tag.host'],
    ['select top 5 value from m', 'write order by value desc limit 5'],
    ["select 1 from 'heizung.Zähler'", 'names are quoted with "'],
    ['select 1 from Außen', 'a name with other letters than a to z is quoted with "'],
    ['select 1 from m where $__timeFilter(time)', 'there are no variables'],
    ["select 1 from m as of '2026-01-01'", 'a past state is named beside the statement'],
    ['select 1 from m where tag.host =~ /web-00.*/', "regular expressions are texts: '…'"],
  ];
  for (const [text, hint] of other) {
    it(`says how to write ${JSON.stringify(text)} here`, () => {
      expect(errorOf(text).message).to.contain(`\nhint: ${hint}`);
    });
  }

  it('says how to write a time in the past', () => {
    expect(errorOf('select 1 from m where time > 1h ago').message).to.contain('now() - 1h');
  });

  it('says how to quote a name with other characters', () => {
    const { message } = errorOf('select 1 from first-dirty.temp{a="b"} where time >= 0');
    expect(message).to.contain('\nhint: names with special characters are quoted');
    expect(message).to.contain('"first-dirty.temp"');
    expect(errorOf('show series from a-b').message).to.contain('"a-b"');
    expect(errorOf('select 1 from a - b').message).not.to.contain('quoted');
  });

  it('takes no other word for a time range', () => {
    expect(errorOf('select 1 from m lost 1h').message).not.to.contain('time range');
    expect(errorOf('select 1 from m hour').message).not.to.contain('time range');
  });

  it('prints the line with a caret below the position', () => {
    expect(errorOf('select 1\nfrom cpu whre x').message).to.equal(
      'line 2, column 10: expected the end of the query, found "whre"\n' +
        '  from cpu whre x\n' +
        '           ^\n' +
        'hint: did you mean where?',
    );
  });

  it('escapes invisible characters, and keeps the caret aligned', () => {
    const { message } = errorOf("select '\u202e\u001b[2J\u200b' frm x");
    const [, drawn = '', caret = ''] = message.split('\n');
    expect(drawn).to.equal("  select '\\u202e\\u001b[2J\\u200b' frm x");
    expect(caret).to.equal(`${' '.repeat(drawn.length - 1)}^`);
  });

  it('accepts 64 levels of nesting and rejects 65', () => {
    const nested = (depth: number) => `select ${'('.repeat(depth)}1${')'.repeat(depth)}`;
    expect(parse(nested(64)).kind).to.equal('select');
    expect(errorOf(nested(65)).message).to.contain('nesting is deeper than 64');
  });

  const hostile: Readonly<Record<string, (size: number) => string>> = {
    parentheses: (size) => `select ${'('.repeat(size)}`,
    sums: (size) => `select ${'1+'.repeat(size / 2)}1`,
    signs: (size) => `select ${'- '.repeat(size / 2)}1`,
    digits: (size) => `select ${'9'.repeat(size)}`,
    durations: (size) => `select ${'1s'.repeat(size / 2)}`,
    quotes: (size) => `select '${"''".repeat(size / 2)}`,
    parts: (size) => `select ${'a.'.repeat(size / 2)}a`,
    alternatives: (size) => `select ${'a or '.repeat(size / 5)}a`,
    members: (size) => `select 1 in (${'1,'.repeat(size / 2)}1)`,
    'open comments': (size) => '/*'.repeat(size / 2),
    dashes: (size) => '-'.repeat(size),
    letters: (size) => 'x'.repeat(size),
    lines: (size) => '\n'.repeat(size),
  };

  /** How often the parser looks at a character or at a token. */
  function stepsOf(plain: string): number {
    const counted = countedText(plain);
    let tokens = 0;
    const peek = Reflect.get(TokenCursor.prototype, 'peek');
    TokenCursor.prototype.peek = function (this: TokenCursor, ahead?: number) {
      tokens += 1;
      return peek.call(this, ahead);
    };
    try {
      parse(counted.text);
    } catch (error) {
      expect(error).to.be.instanceOf(AppError);
    } finally {
      TokenCursor.prototype.peek = peek;
    }
    return counted.looks + tokens;
  }

  const stepsPerCharacter = 16;

  for (const [name, make] of Object.entries(hostile)) {
    it(`takes time linear in the length of hostile ${name}`, () => {
      const half = stepsOf(make(32_500));
      const whole = stepsOf(make(65_000));
      expect(half).to.be.above(0);
      // Quadratic work would take four times as many steps. Constant work counts twice.
      expect(whole).to.be.at.most(2 * half);
      expect(whole).to.be.at.most(65_000 * stepsPerCharacter);
    });
  }
});
