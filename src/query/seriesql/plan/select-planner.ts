/** Plans a SELECT. The clauses stand in the order of their checks. */

import { nearWord } from '../../../common/model/nearest.js';
import { valueType } from '../functions/type-rules.js';

import { literal, partsOf, some, visitAll, withParts } from './check/expr.js';
import { kPartsMax } from './check/checker.js';
import { constantPlace, type ExprPlace } from './check/place.js';
import { bucketPlaces, planFill } from './fill-planner.js';
import { rowOf, type Arithmetic } from './operator-row.js';
import { mixtureRules, readRules } from './rules/select-rules.js';
import { WhereAsked } from './select-shape.js';
import {
  noWhere,
  readsIdentity,
  readsSamples,
  selectionOf,
  takeApart,
  type WhereParts,
} from './where.js';

import type { Expression, SelectItemNode, SelectNode } from '../language/ast.js';
import type { Span } from '../language/query-text.js';
import type { Checker } from './check/checker.js';
import type { ExprIds } from './check/expr-ids.js';
import type {
  PlannedAggregate,
  ColumnItem,
  Expr,
  Fill,
  OrderKey,
  SelectItem,
  SelectPlan,
  Shape,
  Window,
} from './plan.js';
import type { CheckedSelect } from './rules/rule.js';
import type { SelectShape } from './select-shape.js';

/** Shorter names that differ by a letter are two names. */
const kMistypedLeast = 3;

/** Replaces a wrong expression. */
const nothing = literal(null, 'null');

type WhatIsRead = 'selection' | 'intervals' | 'comparesTimeToDuration';

interface CheckedParts {
  /** Null for `*`. */
  readonly items: readonly (Expr | null)[];
  readonly having: Expr | null;
  readonly order: readonly (OrderKey & { readonly span: Span })[];
  readonly select: CheckedSelect;
}

/** The shared plan of statements that differ only in FROM and WHERE. */
export interface LikeStatements {
  /** The shape of an earlier such statement; null if there is none. */
  readonly known: SelectShape | null;
  /** Receives a plan that others may reuse. */
  readonly note: (shape: SelectShape) => void;
}

const none: LikeStatements = { known: null, note: () => undefined };

export function planSelect(
  checker: Checker,
  node: SelectNode,
  like: LikeStatements = none,
): SelectPlan {
  return new SelectPlanner(checker, node).plan(like);
}

/** Plans with the shape of a similar statement; null if the shape does not fit. */
export function planAsKnown(
  checker: Checker,
  node: SelectNode,
  known: SelectShape,
): SelectPlan | null {
  return new SelectPlanner(checker, node).planAs(known);
}

class SelectPlanner {
  readonly #checker: Checker;
  readonly #node: SelectNode;
  readonly #aggregates: PlannedAggregate[] = [];
  readonly #windows: Window[] = [];
  #where: WhereParts = noWhere;
  #asked = new WhereAsked(noWhere.intervals, null);
  #keys: readonly Expr[] = [];
  #keyKinds: ReadonlySet<string> = new Set();
  #keyPlaces: ReadonlyMap<number, number> = new Map();
  #fill: Fill | null = null;

  constructor(checker: Checker, node: SelectNode) {
    this.#checker = checker;
    this.#node = node;
  }

  plan({ known, note }: LikeStatements): SelectPlan {
    this.#readWhere();
    if (known !== null && this.#fits(known)) return { ...known.plan, ...this.#read() };
    const { context, weight, size } = this.#checker;
    const { nowCount } = context;
    const rest = this.#planned();
    const isPlain = this.#asked.filter === null && this.#checker.weight === weight;
    const isTimeless = context.nowCount === nowCount;
    const restSize = this.#checker.size - size;
    const plan = { ...rest, ...this.#read() };
    if (isPlain && isTimeless) note({ plan, answered: this.#asked, size: restSize });
    return plan;
  }

  planAs(known: SelectShape): SelectPlan | null {
    this.#readWhere();
    return this.#fits(known) ? { ...known.plan, ...this.#read() } : null;
  }

  /** Also checks the limit of parts, the only statement-wide limit that the other clauses use. */
  #fits({ answered, size }: SelectShape): boolean {
    return answered.fits(this.#asked) && this.#checker.size + size <= kPartsMax;
  }

  /** The parts of the plan from FROM and WHERE, except the filter. */
  #read(): Pick<SelectPlan, WhatIsRead> {
    const { from } = this.#node;
    const selection = from === null ? null : selectionOf(this.#checker, from, this.#where);
    const { intervals, comparesTimeToDuration } = this.#where;
    return { selection, intervals, comparesTimeToDuration };
  }

  /** Checks expressions first. If one is wrong, its consequences are not checked. */
  #planned(): Omit<SelectPlan, WhatIsRead> {
    const parts = this.#checkParts();
    const { node, isGrouped } = parts.select;
    this.#checker.settle();
    for (const rule of mixtureRules) this.#checker.require(rule(parts.select));
    this.#checker.settle();
    const overGroups = (expr: Expr, span: Span): Expr =>
      isGrouped ? this.#checker.attempt(span, () => this.#grouped(expr, span.start), expr) : expr;
    const items = node.items.map((item, at) =>
      this.#item(item, parts.items[at] ?? null, { at, overGroups }),
    );
    const orderBy = parts.order.map(({ expr, descending, span }) => ({
      expr: overGroups(expr, span),
      descending,
    }));
    const shape = this.#shape(isGrouped, items, orderBy);
    for (const rule of readRules) this.#checker.require(rule(parts.select, shape.kind));
    return {
      kind: 'select',
      items,
      orderBy,
      shape,
      limit: node.limit,
      offset: node.offset,
      filter: this.#asked.filter,
      identifiesSeries: items.some((item) => item.kind === 'star' || readsIdentity(item.expr)),
      having:
        parts.having === null ? null : overGroups(parts.having, node.having?.span ?? node.span),
    };
  }

  /** Checks every expression of the statement, clause by clause. */
  #checkParts(): CheckedParts {
    const node = this.#node;
    const checker = this.#checker;
    const { fill } = node;
    this.#fill =
      fill === null ? null : checker.attempt(fill.span, () => planFill(checker, fill), null);
    const itemPlace = this.#place(new Map());
    const items = node.items.map((item) =>
      item.kind === 'star' ? null : checker.check(item.expr, itemPlace),
    );
    const aliases = this.#aliases(items);
    this.#keys = node.groupBy.map((key) =>
      checker.attempt(key.span, () => this.#key(key, aliases, items), nothing),
    );
    this.#keyKinds = new Set(this.#keys.map(({ kind }) => kind));
    this.#keyPlaces = placesOf(this.#keys, checker.ids);
    const place = this.#place(aliases);
    const having = node.having === null ? null : checker.condition(node.having, place, 'HAVING');
    const order = node.orderBy.map(({ expr, descending }) => ({
      expr: checker.attempt(
        expr.span,
        () => this.#positioned(expr, items, 'ORDER BY') ?? checker.check(expr, place),
        nothing,
      ),
      descending,
      span: expr.span,
    }));
    return { items, having, order, select: this.#checkedSelect() };
  }

  #checkedSelect(): CheckedSelect {
    const node = this.#node;
    return {
      node,
      isGrouped: node.groupBy.length > 0 || this.#aggregates.length > 0,
      keys: this.#keys,
      aggregates: this.#aggregates,
      windows: this.#windows,
      fill: this.#fill,
      where: this.#asked,
    };
  }

  #readWhere(): void {
    const { where, from } = this.#node;
    if (where === null) return;
    const refusal = 'cannot be used in WHERE; put conditions on it into HAVING';
    const place = { ...constantPlace, hasColumns: from !== null, refusal };
    const condition = this.#checker.condition(where, place, 'WHERE');
    if (from === null) {
      this.#asked = new WhereAsked(noWhere.intervals, condition);
      return;
    }
    this.#where = takeApart(condition);
    this.#asked = new WhereAsked(this.#where.intervals, filterOf(this.#where));
  }

  #place(aliases: ReadonlyMap<string, Expr>): ExprPlace {
    return {
      hasColumns: this.#node.from !== null,
      aliases,
      aggregates: this.#aggregates,
      windows: this.#windows,
      refusal: 'cannot be used here',
      fill: this.#fill,
      startsFrom: (bound) => this.#asked.startsFrom(bound),
    };
  }

  /** If two aliases are equal, the first counts. */
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
    const refusal = 'cannot be used in GROUP BY';
    const place: ExprPlace = {
      ...this.#place(aliases),
      aggregates: null,
      windows: null,
      refusal,
    };
    const key = this.#positioned(node, checked, 'GROUP BY') ?? this.#checker.check(node, place);
    if (some(key, ({ kind }) => kind === 'aggregate' || kind === 'window')) {
      throw this.#checker.fail(node.span.start, 'GROUP BY takes no aggregates and no windows');
    }
    return key;
  }

  /** An integer is the position of an item, from 1. Null for any other node. */
  #positioned(node: Expression, checked: readonly (Expr | null)[], clause: string): Expr | null {
    if (node.kind !== 'integer') return null;
    const at = Number(node.value) - 1;
    if (at < 0 || at >= checked.length) {
      const message = `${clause} ${node.value} is not a position: there are ${checked.length} items`;
      throw this.#checker.fail(node.span.start, message);
    }
    const expr = checked[at] ?? null;
    if (expr !== null) {
      this.#checker.repeat(expr, node.span.start);
      return expr;
    }
    throw this.#checker.fail(node.span.start, `${clause} cannot point at *; name a column`);
  }

  /** Replaces expressions that equal a key by that key. Any other column or label is an error. */
  #grouped(expr: Expr, start: number): Expr {
    const rewrite = (part: Expr): Expr => {
      const key = this.#keyOf(part);
      if (key !== null) return key;
      if (part.kind === 'column' || part.kind === 'label') throw this.#ungrouped(part, start);
      if (part.kind === 'arithmetic') return rewriteRow(part);
      const parts = partsOf(part);
      return parts.length === 0 ? part : withParts(part, parts.map(rewrite));
    };
    // Starts at the outermost operator whose left side is a key, or at the innermost operand. Then
    // works outward.
    const rewriteRow = (outermost: Arithmetic): Expr => {
      const row = rowOf(outermost);
      const at = row.findLastIndex(({ left }) => this.#keyOf(left) !== null);
      const rest = row.slice(Math.max(at, 0));
      const first = rewrite(rest[0]?.left ?? outermost);
      return rest.reduce((left, one) => withParts(one, [left, rewrite(one.right)]), first);
    };
    return rewrite(expr);
  }

  /** The key that an expression equals; null if there is none. */
  #keyOf(part: Expr): Expr | null {
    if (!this.#keyKinds.has(part.kind)) return null;
    const index = this.#keyPlaces.get(this.#checker.ids.of(part));
    const { type, nullable } = part;
    return index === undefined ? null : { kind: 'key', index, type, nullable };
  }

  #ungrouped(part: Extract<Expr, { kind: 'column' | 'label' }>, start: number): Error {
    const name = part.kind === 'label' ? `tag.${part.key}` : part.column;
    const labels = this.#keys.flatMap((key) => (key.kind === 'label' ? [key.key] : []));
    const isLong = part.kind === 'label' && part.key.length >= kMistypedLeast;
    const near = isLong ? nearWord(part.key, labels) : undefined;
    const hint =
      near === undefined
        ? `add it to GROUP BY, or put it into an aggregate such as last(${name})`
        : `GROUP BY has tag.${near}; did you mean the same label?`;
    const offset = this.#checker.originOf(part) || start;
    return this.#checker.fail(offset, `${name} is neither grouped nor aggregated`, hint);
  }

  #item(
    node: SelectItemNode,
    checked: Expr | null,
    how: {
      readonly at: number;
      readonly overGroups: (expr: Expr, span: Span) => Expr;
    },
  ): SelectItem {
    if (node.kind === 'star' || checked === null) return { kind: 'star' };
    const expr = how.overGroups(checked, node.expr.span);
    const name = node.alias ?? columnName(node.expr, how.at, this.#checker);
    return { kind: 'column', name, type: valueType(expr.type), nullable: expr.nullable, expr };
  }

  #shape(isGrouped: boolean, items: readonly SelectItem[], orderBy: readonly OrderKey[]): Shape {
    if (this.#node.from === null) return { kind: 'constant' };
    if (isGrouped) return this.#groupedShape(items);
    const columns = items.filter((item): item is ColumnItem => item.kind === 'column');
    const exprs = [...columns, ...orderBy].map(({ expr }) => expr);
    const isOverSeries =
      columns.length === items.length &&
      columns.some(({ expr }) => readsIdentity(expr)) &&
      !exprs.some(readsSamples) &&
      this.#asked.filter === null;
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
    const [bucketKey] = bucketPlaces(this.#keys);
    if (this.#fill === null || bucketKey === undefined) return null;
    return { how: this.#fill, bucketKey };
  }
}

function filterOf({ rest }: WhereParts): Expr | null {
  const [first = null, ...more] = rest;
  if (more.length === 0) return first;
  const nullable = rest.some((one) => one.nullable);
  return { kind: 'logical', op: 'and', items: rest, type: 'boolean', nullable };
}

/** The index of the first occurrence of each expression, by its id. */
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
