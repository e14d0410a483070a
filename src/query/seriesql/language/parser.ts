/**
 * Parses statements, clause by clause in the order of the grammar. Stops at the first error:
 * `parse_failed`, or `unsupported_statement` for SQL that this language lacks.
 */

import { TokenCursor } from './cursor.js';
import { ExpressionParser } from './expression-parser.js';
import { foreign, kSomeMetric, recentHint } from './foreign.js';
import { tokenize } from './lexer.js';
import { parseLabels, parseSource, parseMetricName } from './source-parser.js';
import { metricAsWritten } from './written-name.js';

import type {
  DeleteNode,
  Expression,
  ExplainNode,
  FillNode,
  InsertNode,
  SelectItemNode,
  SelectNode,
  ShowNode,
  Statement,
} from './ast.js';
import type { Token } from './token.js';
import type { QueryText, Span } from './query-text.js';

/** The most characters of a name that a hint repeats. */
const kNameShown = 100;

const statementWords = ['select', 'insert', 'delete', 'drop', 'show', 'explain'];
/** Parses one statement with an optional `;`. Throws `query_required` if the text is empty. */
export function parseStatement(source: QueryText): Statement {
  const tokens = tokenize(source);
  const parser = new StatementParser(new TokenCursor(source, tokens));
  return parser.whole();
}

/** A source, and WHERE if there is one. */
export type ReadNode = Pick<SelectNode, 'from' | 'where'>;

/**
 * Parses a part of a text as a source with WHERE. Null if it is not exactly that, or has an error.
 */
export function parseRead(source: QueryText, span: Span): ReadNode | null {
  try {
    const cursor = new TokenCursor(source, tokenize(source, span));
    const read = new StatementParser(cursor).read();
    const { end } = cursor.spanFrom(span.start);
    return cursor.peek().kind === 'end' && end === span.end ? read : null;
  } catch {
    // Parsing the whole text reports the error.
    return null;
  }
}

export class StatementParser {
  readonly #cursor: TokenCursor;
  readonly #expressions: ExpressionParser;

  constructor(cursor: TokenCursor) {
    this.#cursor = cursor;
    this.#expressions = new ExpressionParser(cursor);
  }

  /** statement = ( select | insert | delete | drop | show | explain ) [ ";" ] ; */
  whole(): Statement {
    const cursor = this.#cursor;
    if (cursor.peek().kind === 'end') {
      throw cursor.source.error('query_required', 0, {
        message: 'the query is empty',
        hint: 'try: show metrics',
      });
    }
    const statement = this.#statement();
    cursor.takeSymbol(';');
    if (cursor.peek().kind !== 'end') throw this.#trailing(statement);
    return statement;
  }

  #statement(): Statement {
    const cursor = this.#cursor;
    const first = cursor.peek();
    if (cursor.isWord('select')) return this.#select();
    if (cursor.isWord('insert')) return this.#insert();
    if (cursor.isWord('delete')) return this.#delete();
    if (cursor.isWord('drop') && cursor.isWord('metric', 1)) return this.#drop();
    if (cursor.isWord('show')) return this.#show();
    if (cursor.isWord('explain')) return this.#explain();
    if (foreign.statements.has(first.known)) throw this.#foreign(first);
    throw cursor.expected('SELECT, INSERT, DELETE, DROP METRIC, SHOW or EXPLAIN', statementWords);
  }

  /** The error for a statement that this language lacks. Its hint names the written metric. */
  #foreign(first: Token): Error {
    const cursor = this.#cursor;
    const isDrop = first.known === 'drop';
    const message = isDrop
      ? 'DROP takes METRIC and the name of one'
      : `there is no ${first.text.toUpperCase()} statement`;
    const known = foreign.statements.get(first.known);
    const isOfMetric = first.known === 'describe' || first.known === 'desc';
    const name = isOfMetric && cursor.isName(1) ? this.#metricAfter() : null;
    const hint = name === null ? known : known?.replaceAll(kSomeMetric, name);
    return cursor.source.error('unsupported_statement', first.start, { message, hint });
  }

  /** The name behind the first word, as a statement writes it. */
  #metricAfter(): string {
    this.#cursor.take();
    return metricAsWritten(parseMetricName(this.#cursor).name);
  }

  /** The error for text after a statement: a misplaced clause, or SQL that this language lacks. */
  #trailing(statement: Statement): Error {
    const cursor = this.#cursor;
    const token = cursor.peek();
    const word = token.kind === 'word' ? token.known : token.text;
    const other = token.kind === 'word' ? foreign.clauses.get(word) : undefined;
    if (other !== undefined) {
      return cursor.source.error('unsupported_statement', token.start, other);
    }
    if (word === 'as' && cursor.peek(1).known === 'of') {
      const past = 'a past state is named beside the statement, by --as-of or as_of';
      return cursor.expected('the end of the query', [], past);
    }
    const recent = this.#recentHint(statement, token.start);
    const meant =
      recent ??
      this.#otherGroup(statement, token) ??
      ('from' in statement ? this.#quotedName(statement.from, token) : null);
    if (meant !== null) return cursor.expected('the end of the query', [], meant);
    // SQL allows an alias here; the unsupported clause may follow it.
    const behind = foreign.clauses.get(cursor.peek(word === 'as' ? 2 : 1).known);
    if (token.kind === 'word' && behind !== undefined) {
      return cursor.source.error('unsupported_statement', token.start, behind);
    }
    const clauses = ['from', 'where', 'group', 'having', 'order', 'limit', 'offset', 'fill'];
    const isClause = clauses.includes(word);
    const order = 'clauses stand in this order: FROM WHERE GROUP BY FILL HAVING ORDER BY LIMIT';
    const prefix = 'a family of metrics ends in .*, as in cpu.*; "*" stands nowhere else in a name';
    const ofSelect = token.text === '*' ? prefix : isClause ? order : undefined;
    const hint = statement.kind === 'select' ? ofSelect : undefined;
    return cursor.expected('the end of the query', clauses, hint);
  }

  #recentHint(statement: Statement, start: number): string | null {
    if (statement.kind === 'insert') return null;
    const { text } = this.#cursor.source;
    const behind = text.slice(start);
    if (statement.kind !== 'delete') return recentHint(behind);
    const { from, where } = statement;
    const source = text.slice(from.span.start, from.span.end);
    const name = source.length > kNameShown ? kSomeMetric : source;
    return recentHint(
      behind,
      where === null ? `write delete from ${name} where` : 'WHERE needs a time, too: (…) and',
    );
  }

  /** The hint for `by 1h` without `group`, and for `select top 5 …`. */
  #otherGroup({ kind, span }: Statement, token: Token): string | null {
    if (kind !== 'select') return null;
    const { text } = this.#cursor.source;
    if (/^select\s+top\s+$/i.test(text.slice(span.start, token.start))) {
      return `write order by value desc limit ${token.text}`;
    }
    if (token.kind !== 'word' || token.known !== 'by') return null;
    const [, width] = /^\s*([0-9]+[a-z]+)\b/.exec(text.slice(token.end)) ?? [];
    const buckets = width === undefined ? 'tag.host' : `time_bucket(${width}, time)`;
    return `write group by ${buckets} behind FROM and WHERE`;
  }

  /** The hint for a symbol that stands within the name of a metric, as in `my-metric.x`. */
  #quotedName(from: SelectNode['from'], { kind, start, text }: Token): string | null {
    if (from?.kind !== 'name' || from.isFamily || from.matchers.length > 0) return null;
    if (kind !== 'symbol' || !/^[-+/%]$/.test(text) || from.span.end !== start) return null;
    const rest = this.#cursor.source.text.slice(from.span.start, from.span.start + kNameShown);
    const [name] = /^[^\s{}()[\],;'"]+/.exec(rest) ?? [];
    return name === undefined
      ? null
      : `names with special characters are quoted as a whole: "${name}"`;
  }

  /**
   * select = "SELECT" item { "," item } [ "FROM" source ] [ "WHERE" expr ] [ groups [ fill ] ]
   *   [ "HAVING" expr ] [ "ORDER" "BY" order { "," order } ] [ "LIMIT" int [ "OFFSET" int ] ] ;
   */
  #select(): SelectNode {
    const cursor = this.#cursor;
    const { start } = cursor.expectWord('select');
    if (cursor.isWord('distinct')) {
      const at = cursor.peek().start;
      const message = 'there is no SELECT DISTINCT';
      throw cursor.source.error('unsupported_projection', at, { message, hint: 'use GROUP BY' });
    }
    const items = [this.#item()];
    while (cursor.takeSymbol(',')) items.push(this.#item());
    const { from, where } = cursor.takeWord('from')
      ? this.read()
      : { from: null, where: this.#where() };
    const groupBy = this.#groupBy();
    const fill = this.#fill(groupBy.length > 0);
    const having = cursor.takeWord('having') ? this.#expressions.parse() : null;
    const orderBy = this.#orderBy();
    const limit = cursor.takeWord('limit') ? this.#count('LIMIT') : null;
    const offset = limit !== null && cursor.takeWord('offset') ? this.#count('OFFSET') : 0n;
    const span = cursor.spanFrom(start);
    return {
      kind: 'select',
      items,
      from,
      where,
      groupBy,
      fill,
      having,
      orderBy,
      limit,
      offset,
      span,
    };
  }

  /** [ "FROM" ] source [ "WHERE" expr ] */
  read(): ReadNode {
    const cursor = this.#cursor;
    const from = parseSource(cursor);
    if (cursor.isSymbol(',')) {
      const message = 'a query reads one source';
      throw cursor.source.error('unsupported_statement', cursor.peek().start, { message });
    }
    return { from, where: this.#where() };
  }

  #where(): Expression | null {
    return this.#cursor.takeWord('where') ? this.#expressions.parse() : null;
  }

  /** item = "*" | expr [ [ "AS" ] alias ] ; */
  #item(): SelectItemNode {
    const cursor = this.#cursor;
    const { start } = cursor.peek();
    if (cursor.takeSymbol('*')) return { kind: 'star', span: cursor.spanFrom(start) };
    const expr = this.#expressions.parse();
    let alias: string | null = null;
    if (expr.kind === 'call') this.#refuseAfterCall();
    if (cursor.takeWord('as')) alias = cursor.expectName('a name').text;
    else if (cursor.isName()) alias = cursor.take().text;
    return { kind: 'expression', expr, alias, span: cursor.spanFrom(start) };
  }

  /** SQL words after a call would be mistaken for an alias. */
  #refuseAfterCall(): void {
    const cursor = this.#cursor;
    const token = cursor.peek();
    const other = foreign.afterCalls.get(token.known);
    if (other === undefined || cursor.peek(1).known !== other.next) return;
    throw cursor.source.error('unsupported_statement', token.start, other);
  }

  /** groups = "GROUP" "BY" expr { "," expr } ; */
  #groupBy(): readonly Expression[] {
    const cursor = this.#cursor;
    if (!cursor.takeWord('group')) return [];
    cursor.expectWord('by');
    const keys = [this.#expressions.parse()];
    while (cursor.takeSymbol(',')) keys.push(this.#expressions.parse());
    return keys;
  }

  /** fill = "FILL" "(" ( "NONE" | "NULL" | "PREVIOUS" | "LINEAR" | expr ) ")" ; */
  #fill(isGrouped: boolean): FillNode | null {
    const cursor = this.#cursor;
    const { start } = cursor.peek();
    if (!cursor.isWord('fill')) return null;
    if (!isGrouped) {
      const hint = 'write GROUP BY time_bucket(…) FILL(…)';
      const message = 'FILL needs a GROUP BY';
      throw cursor.source.error('validation_failed', start, { message, hint });
    }
    cursor.take();
    cursor.expectSymbol('(');
    const kind = (['none', 'null', 'previous', 'linear'] as const).find(
      (word) => cursor.isWord(word) && cursor.isSymbol(')', 1),
    );
    if (kind !== undefined) cursor.take();
    const expr = kind === undefined ? cursor.nested(() => this.#expressions.parse()) : null;
    cursor.expectSymbol(')');
    const span = cursor.spanFrom(start);
    if (expr !== null) return { kind: 'expression', expr, span };
    return { kind: kind ?? 'none', span };
  }

  #orderBy(): SelectNode['orderBy'] {
    const cursor = this.#cursor;
    if (!cursor.takeWord('order')) return [];
    cursor.expectWord('by');
    const keys = [this.#order()];
    while (cursor.takeSymbol(',')) keys.push(this.#order());
    return keys;
  }

  /** order = expr [ "ASC" | "DESC" ] ; */
  #order(): SelectNode['orderBy'][number] {
    const cursor = this.#cursor;
    const expr = this.#expressions.parse();
    const descending = cursor.takeWord('desc');
    if (!descending) cursor.takeWord('asc');
    if (cursor.isWord('nulls')) {
      const at = cursor.peek().start;
      const message = 'nulls are always last';
      const hint = 'omit NULLS …';
      throw cursor.source.error('unsupported_ordering', at, { message, hint });
    }
    return { expr, descending };
  }

  #count(clause: string): bigint {
    const cursor = this.#cursor;
    const token = cursor.peek();
    if (token.kind !== 'integer') throw cursor.expected(`a whole number after ${clause}`);
    cursor.take();
    const digits = token.text.replace(/^0+(?=[0-9])/, '');
    if (digits.length > 18) throw cursor.fail(token.start, `${clause} is too large`);
    return BigInt(digits);
  }

  /**
   * insert = "INSERT" "INTO" metric [ braces ] [ "(" "TIME" "," "VALUE" ")" ]
   *   "VALUES" row { "," row } ;
   */
  #insert(): InsertNode {
    const cursor = this.#cursor;
    const { start } = cursor.expectWord('insert');
    cursor.expectWord('into');
    const { name, isFamily } = parseMetricName(cursor);
    if (isFamily) throw cursor.fail(start, 'INSERT needs the name of one metric, without .*');
    const labels = cursor.isSymbol('{') ? parseLabels(cursor) : [];
    if (cursor.takeSymbol('(')) {
      cursor.expectWord('time');
      cursor.expectSymbol(',');
      cursor.expectWord('value');
      const hint = "labels follow the metric: insert into cpu.load{host='a'} values …";
      if (!cursor.isSymbol(')')) throw cursor.expected('")"', [], hint);
      cursor.take();
    }
    cursor.expectWord('values');
    const rows = [this.#row()];
    while (cursor.takeSymbol(',')) rows.push(this.#row());
    return { kind: 'insert', name, labels, rows, span: cursor.spanFrom(start) };
  }

  /** row = "(" expr "," expr ")" ; */
  #row(): InsertNode['rows'][number] {
    const at = this.#cursor.peek().start;
    const [time, value, ...more] = this.#expressions.list();
    if (time === undefined || value === undefined || more.length > 0) {
      throw this.#cursor.fail(at, 'a row is (time, value)');
    }
    return { time, value };
  }

  /** delete = "DELETE" "FROM" source [ "WHERE" expr ] ; */
  #delete(): DeleteNode {
    const cursor = this.#cursor;
    const { start } = cursor.expectWord('delete');
    cursor.expectWord('from');
    const from = parseSource(cursor);
    const where = cursor.takeWord('where') ? this.#expressions.parse() : null;
    return { kind: 'delete', from, where, span: cursor.spanFrom(start) };
  }

  /** drop = "DROP" "METRIC" name ; */
  #drop(): DeleteNode {
    const cursor = this.#cursor;
    const { start } = cursor.expectWord('drop');
    cursor.expectWord('metric');
    const from = parseSource(cursor);
    if (from.kind !== 'name' || from.isFamily || from.matchers.length > 0) {
      const hint = "delete single series with delete from cpu.load{host='a'}";
      throw cursor.fail(from.span.start, 'DROP METRIC takes the name of one metric', hint);
    }
    // The same as DELETE FROM without WHERE.
    return { kind: 'delete', from, where: null, span: cursor.spanFrom(start) };
  }

  /** show = "SHOW" shown [ "WHERE" expr ] [ "LIMIT" int ] ; */
  #show(): ShowNode {
    const cursor = this.#cursor;
    const { start } = cursor.expectWord('show');
    const { what, key } = this.#shown();
    const from = this.#showSource(what);
    const where = cursor.takeWord('where') ? this.#expressions.parse() : null;
    const limit = cursor.takeWord('limit') ? this.#count('LIMIT') : null;
    return { kind: 'show', what, key, from, where, limit, span: cursor.spanFrom(start) };
  }

  /**
   * shown = "METRICS" | "SERIES" "FROM" source | "LABELS" [ "FROM" source ]
   *   | "LABEL" "VALUES" "FOR" label [ "FROM" source ] ;
   */
  #shown(): Pick<ShowNode, 'what' | 'key'> {
    const cursor = this.#cursor;
    if (cursor.takeWord('metrics')) return { what: 'metrics', key: null };
    if (cursor.takeWord('series')) return { what: 'series', key: null };
    if (cursor.takeWord('labels')) return { what: 'labels', key: null };
    if (!cursor.takeWord('label')) {
      const words = ['metrics', 'series', 'labels', 'label'];
      const hint = foreign.shown.get(cursor.peek().known);
      throw cursor.expected('METRICS, SERIES, LABELS or LABEL VALUES', words, hint);
    }
    cursor.expectWord('values');
    cursor.expectWord('for');
    return { what: 'values', key: cursor.expectName('the key of a label').text };
  }

  #showSource(what: ShowNode['what']): ShowNode['from'] {
    const cursor = this.#cursor;
    if (what === 'metrics') return null;
    if (cursor.takeWord('from')) return parseSource(cursor);
    if (what === 'series') {
      throw cursor.expected('FROM', ['from'], 'write show series from cpu.load, or show metrics');
    }
    return null;
  }

  /** explain = "EXPLAIN" [ "ANALYZE" | "BYTECODE" | "TABLES_USED" ] statement ; */
  #explain(): ExplainNode {
    const cursor = this.#cursor;
    const { start } = cursor.expectWord('explain');
    const mode = (['analyze', 'bytecode', 'tables_used'] as const).find((word) =>
      cursor.takeWord(word),
    );
    const statement = cursor.nested(() => this.#statement());
    return { kind: 'explain', mode: mode ?? 'plan', statement, span: cursor.spanFrom(start) };
  }
}
