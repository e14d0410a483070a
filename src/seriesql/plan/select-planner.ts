/** A SELECT to its plan: clauses in the order in which they are checked. */

import { aggregateFunctions, type AggregateName } from '../functions/aggregate-functions.js';
import { valueType } from '../functions/type-rules.js';

import { partsOf, some, visitAll, withParts } from './check/expr.js';
import { constantPlace, type Place } from './check/place.js';
import { planFill } from './fill-planner.js';
import { hullOf, isBounded } from './intervals.js';
import {
  noWhere,
  readsIdentity,
  readsSamples,
  selectionOf,
  takeApart,
  type WhereParts,
} from './where.js';

import type { Expression, SelectItemNode, SelectNode } from '../language/ast.js';
import type { AggregateFunction } from '../functions/aggregate-function.js';
import type { Checker } from './check/checker.js';
import type { ExprIds } from './check/expr-ids.js';
import type {
  Aggregate,
  ColumnItem,
  Expr,
  Fill,
  OrderKey,
  SelectItem,
  SelectPlan,
  Shape,
  Window,
} from './plan.js';

export function planSelect(checker: Checker, node: SelectNode): SelectPlan {
  return new SelectPlanner(checker, node).plan();
}

class SelectPlanner {
  readonly #checker: Checker;
  readonly #node: SelectNode;
  readonly #aggregates: Aggregate[] = [];
  readonly #windows: Window[] = [];
  #where: WhereParts = noWhere;
  #filter: Expr | null = null;
  #keys: readonly Expr[] = [];
  #keyKinds: ReadonlySet<string> = new Set();
  #keyPlaces: ReadonlyMap<number, number> = new Map();
  #fill: Fill | null = null;

  constructor(checker: Checker, node: SelectNode) {
    this.#checker = checker;
    this.#node = node;
  }

  plan(): SelectPlan {
    const node = this.#node;
    this.#readWhere();
    this.#fill = node.fill === null ? null : planFill(this.#checker, node.fill);
    const itemPlace = this.#place(new Map());
    const checked = node.items.map((item) =>
      item.kind === 'star' ? null : this.#checker.check(item.expr, itemPlace),
    );
    const aliases = this.#aliases(checked);
    this.#keys = node.groupBy.map((key) => this.#key(key, aliases, checked));
    this.#keyKinds = new Set(this.#keys.map(({ kind }) => kind));
    this.#keyPlaces = placesOf(this.#keys, this.#checker.ids);
    const place = this.#place(aliases);
    const having =
      node.having === null ? null : this.#checker.condition(node.having, place, 'HAVING');
    const order = node.orderBy.map(({ expr, descending }) => ({
      expr: this.#positioned(expr, checked, 'ORDER BY') ?? this.#checker.check(expr, place),
      descending,
      start: expr.span.start,
    }));
    const isGrouped = node.groupBy.length > 0 || this.#aggregates.length > 0;
    this.#refuseMixtures(isGrouped);
    const overGroups = (expr: Expr, start: number): Expr =>
      isGrouped ? this.#grouped(expr, start) : expr;
    const items = node.items.map((item, at) =>
      this.#item(item, checked[at] ?? null, { at, overGroups, isGrouped }),
    );
    const orderBy = order.map(({ expr, descending, start }) => ({
      expr: overGroups(expr, start),
      descending,
    }));
    const shape = this.#shape(isGrouped, items, orderBy);
    this.#requireTime(shape);
    return {
      kind: 'select',
      items,
      orderBy,
      shape,
      limit: node.limit,
      offset: node.offset,
      selection: node.from === null ? null : selectionOf(this.#checker, node.from, this.#where),
      intervals: this.#where.intervals,
      filter: this.#filter,
      identifiesSeries: items.some((item) => item.kind === 'star' || readsIdentity(item.expr)),
      having: having === null ? null : overGroups(having, node.having?.span.start ?? 0),
    };
  }

  #readWhere(): void {
    const { where, from } = this.#node;
    if (where === null) return;
    const refusal = 'cannot stand in WHERE; conditions on it go into HAVING';
    const place = { ...constantPlace, hasColumns: from !== null, refusal };
    const condition = this.#checker.condition(where, place, 'WHERE');
    if (from === null) {
      this.#filter = condition;
      return;
    }
    this.#where = takeApart(condition);
    const { rest } = this.#where;
    const nullable = rest.some((one) => one.nullable);
    if (rest.length === 1) this.#filter = rest[0] ?? null;
    else if (rest.length > 1) {
      this.#filter = { kind: 'logical', op: 'and', items: rest, type: 'boolean', nullable };
    }
  }

  #place(aliases: ReadonlyMap<string, Expr>): Place {
    return {
      hasColumns: this.#node.from !== null,
      aliases,
      aggregates: this.#aggregates,
      windows: this.#windows,
      refusal: 'cannot stand here',
      fill: this.#fill,
      lowestTime: this.#where.intervals[0]?.start ?? null,
    };
  }

  /** Of two equal aliases the first counts. */
  #aliases(checked: readonly (Expr | null)[]): ReadonlyMap<string, Expr> {
    const aliases = new Map<string, Expr>();
    this.#node.items.forEach((item, at) => {
      const expr = checked[at] ?? null;
      if (item.kind === 'star' || item.alias === null || expr === null) return;
      if (!aliases.has(item.alias)) aliases.set(item.alias, expr);
    });
    return aliases;
  }

  #key(
    node: Expression,
    aliases: ReadonlyMap<string, Expr>,
    checked: readonly (Expr | null)[],
  ): Expr {
    const refusal = 'cannot stand in GROUP BY';
    const place: Place = { ...this.#place(aliases), aggregates: null, windows: null, refusal };
    const key = this.#positioned(node, checked, 'GROUP BY') ?? this.#checker.check(node, place);
    if (some(key, ({ kind }) => kind === 'aggregate' || kind === 'window')) {
      throw this.#checker.fail(node.span.start, 'GROUP BY takes no aggregates and no windows');
    }
    return key;
  }

  /** An integer is the position of an item, from 1; null when the node is none. */
  #positioned(node: Expression, checked: readonly (Expr | null)[], clause: string): Expr | null {
    if (node.kind !== 'integer') return null;
    const at = Number(node.value) - 1;
    if (at < 0 || at >= checked.length) {
      const message = `${clause} ${node.value} is no position: there are ${checked.length} items`;
      throw this.#checker.fail(node.span.start, message);
    }
    const expr = checked[at] ?? null;
    if (expr !== null) {
      this.#checker.repeat(expr, node.span.start);
      return expr;
    }
    throw this.#checker.fail(node.span.start, `${clause} cannot point at *; name a column`);
  }

  #refuseMixtures(isGrouped: boolean): void {
    const { node, checker } = { node: this.#node, checker: this.#checker };
    const star = node.items.find(({ kind }) => kind === 'star');
    if (star !== undefined && node.from === null) {
      throw checker.fail(star.span.start, '* needs a FROM', 'write select * from <metric>');
    }
    if (star !== undefined && isGrouped) {
      throw checker.fail(star.span.start, '* cannot stand beside groups', 'name what you group by');
    }
    if (isGrouped && this.#windows.length > 0) {
      const hint = 'windows work on samples, before any grouping';
      throw checker.fail(node.span.start, 'windows and groups cannot be mixed', hint);
    }
    if (!isGrouped && node.having !== null) {
      const hint = 'conditions on rows go into WHERE';
      throw checker.fail(node.having.span.start, 'HAVING needs GROUP BY or an aggregate', hint);
    }
    if (node.groupBy.length > 0 && node.from === null) {
      throw checker.fail(node.groupBy[0]?.span.start ?? 0, 'GROUP BY needs a FROM');
    }
  }

  /** Puts keys in the place of what they are equal to; anything else of a row is an error. */
  #grouped(expr: Expr, start: number): Expr {
    const kinds = this.#keyKinds;
    const rewrite = (part: Expr): Expr => {
      const isKey = kinds.has(part.kind);
      const index = isKey ? this.#keyPlaces.get(this.#checker.ids.of(part)) : undefined;
      const { type, nullable } = part;
      if (index !== undefined) return { kind: 'key', index, type, nullable };
      if (part.kind === 'column' || part.kind === 'label') throw this.#ungrouped(part, start);
      const parts = partsOf(part);
      return parts.length === 0 ? part : withParts(part, parts.map(rewrite));
    };
    return rewrite(expr);
  }

  #ungrouped(part: Extract<Expr, { kind: 'column' | 'label' }>, start: number): Error {
    const name = part.kind === 'label' ? `tag.${part.key}` : part.column;
    const hint = `add it to GROUP BY, or put it into an aggregate such as last(${name})`;
    const offset = this.#checker.originOf(part) || start;
    return this.#checker.fail(offset, `${name} is neither grouped nor aggregated`, hint);
  }

  #item(
    node: SelectItemNode,
    checked: Expr | null,
    how: {
      readonly at: number;
      readonly isGrouped: boolean;
      readonly overGroups: (expr: Expr, start: number) => Expr;
    },
  ): SelectItem {
    if (node.kind === 'star' || checked === null) return { kind: 'star' };
    const expr = how.overGroups(checked, node.expr.span.start);
    const name = node.alias ?? columnName(node.expr, how.at, this.#checker);
    return { kind: 'column', name, type: valueType(expr.type), nullable: expr.nullable, expr };
  }

  #shape(isGrouped: boolean, items: readonly SelectItem[], orderBy: readonly OrderKey[]): Shape {
    if (this.#node.from === null) {
      if (this.#windows.length > 0) throw this.#checker.fail(0, 'a window needs a FROM');
      return { kind: 'constant' };
    }
    if (isGrouped) return this.#groupedShape(items);
    const columns = items.filter((item): item is ColumnItem => item.kind === 'column');
    const exprs = [...columns, ...orderBy].map(({ expr }) => expr);
    const isOverSeries =
      columns.length === items.length &&
      columns.some(({ expr }) => readsIdentity(expr)) &&
      !exprs.some(readsSamples) &&
      this.#filter === null;
    return isOverSeries ? { kind: 'series' } : { kind: 'raw', windows: this.#windows };
  }

  #groupedShape(items: readonly SelectItem[]): Shape {
    const selected = new Set<number>();
    for (const item of items) {
      if (item.kind === 'star') continue;
      visitAll(item.expr, (part) => {
        if (part.kind === 'key') selected.add(part.index);
      });
    }
    const others = this.#keys.map((_, at) => at).filter((at) => !selected.has(at));
    return {
      kind: 'grouped',
      keys: this.#keys,
      aggregates: this.#aggregates,
      fill: this.#filledBucket(),
      defaultOrder: [...selected, ...others],
    };
  }

  #filledBucket(): Extract<Shape, { kind: 'grouped' }>['fill'] {
    const { fill } = this.#node;
    if (fill === null) return null;
    const { start } = fill.span;
    const buckets = this.#keys.flatMap((key, at) => {
      const isBucket =
        key.kind === 'bucket' && key.operand.kind === 'column' && key.operand.column === 'time';
      return isBucket ? [at] : [];
    });
    const [bucketKey] = buckets;
    if (bucketKey === undefined || buckets.length > 1) {
      const message = 'FILL needs exactly one time_bucket of time in GROUP BY';
      throw this.#checker.fail(start, message);
    }
    if (this.#fill === null) return null;
    const { intervals } = this.#where;
    if (intervals.length > 0 && hullOf(intervals) === null) {
      const hint = 'add a condition such as time between A and B';
      throw this.#checker.fail(start, 'FILL needs time bounded on both sides', hint);
    }
    this.#requireFillTypes(this.#fill, start);
    return { how: this.#fill, bucketKey };
  }

  #requireFillTypes(fill: Fill, start: number): void {
    const value = fill.kind === 'constant' ? fill.value : null;
    for (const { type, name } of this.#aggregates) {
      const isNumber = type !== 'string' && type !== 'boolean';
      if (fill.kind === 'linear' && !isNumber) {
        throw this.#checker.fail(start, `FILL(LINEAR) needs numbers, ${name} gives text`);
      }
      const fits = typeof value === 'string' ? type === 'string' : isNumber;
      if (fill.kind === 'constant' && !fits) {
        throw this.#checker.fail(start, `the FILL constant does not fit ${name}`);
      }
    }
  }

  #requireTime(shape: Shape): void {
    const { intervals } = this.#where;
    if (isBounded(intervals) || shape.kind === 'constant' || shape.kind === 'series') return;
    if (shape.kind === 'grouped') {
      const areAtAnEnd = shape.aggregates.every(({ name }) => isAtAnEnd(name));
      if (shape.keys.length > 0 || areAtAnEnd) return;
    }
    const hint = 'add one, such as: where time >= now() - 1h';
    const at = this.#node.from?.span.start ?? 0;
    throw this.#checker.fail(at, 'this reads samples without a bound on time', hint);
  }
}

function isAtAnEnd(name: AggregateName): boolean {
  const called: AggregateFunction = aggregateFunctions[name];
  return called.isAtAnEnd === true;
}

/** Where each expression stands first. */
function placesOf(keys: readonly Expr[], ids: ExprIds): ReadonlyMap<number, number> {
  const places = new Map<number, number>();
  for (const [at, key] of keys.entries()) {
    const id = ids.of(key);
    if (!places.has(id)) places.set(id, at);
  }
  return places;
}

function columnName(node: Expression, at: number, checker: Checker): string {
  switch (node.kind) {
    case 'name':
      return checker.context.source.text.slice(node.span.start, node.span.end);
    case 'call':
      return `${node.name.toLowerCase()}_${at}`;
    case 'case':
    case 'cast':
      return `${node.kind}_${at}`;
    default:
      return `expr_${at}`;
  }
}
