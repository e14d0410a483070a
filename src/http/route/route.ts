/**
 * A route is one value with its access rule, request, answers and handler. The table of a listener,
 * its guard, the request readers, the API description and docs/http-api.md are made from these
 * values. No other place has facts about a route.
 */

import { querySchema, type QueryReader, type QueryShape } from '../fields/query-schema.js';

import type { Later } from '../../common/model/later.js';
import type { TokenScope } from '../auth/token.js';
import type { AppError } from '../../common/errors/app-error.js';
import type { ErrorCode } from '../../common/errors/catalog.js';
import type { NamedSchema } from '../fields/json-schema.js';
import type { Reply } from './reply.js';
import type { Request } from './request.js';
import type { BodyReader, BodyShape } from './route-body.js';

/**
 * Access if the listener requires tokens. `public`: everyone. `status`: everyone, but if
 * `open_status` is false, tokens with `read`. `token`: any token; the handler checks further.
 * Otherwise tokens with this scope.
 */
export type Scope = 'public' | 'status' | 'token' | TokenScope;

/** The properties of a foreign protocol that differ from our API. */
export interface RouteProtocol {
  /** The label in metrics. */
  readonly name: string;
  /** An error in the protocol's format. */
  readonly printError: (printed: PrintedError) => Reply;
  /** The schema of these errors. */
  readonly errorSchema: NamedSchema;
  /** JSON if absent. */
  readonly errorMediaType?: string;
  /** Statuses of codes that differ from the catalogue. */
  readonly statuses?: Readonly<Partial<Record<ErrorCode, number>>>;
  /** The query parameter `p` may carry the token. */
  readonly takesQuerySecret?: true;
}

interface PrintedError {
  readonly error: AppError;
  /** Headers of the error's code. */
  readonly headers: readonly (readonly [string, string])[];
  /** Version of the server. */
  readonly version: string;
  /** The Content-Type of the request. */
  readonly contentType: string | undefined;
}

/** Topics of routes, in the order of the documents. */
export const tags = {
  write: 'Store samples.',
  read: 'Read samples of series.',
  discover: 'List metrics, series and labels.',
  annotate: 'Annotations of time ranges.',
  boards: 'Named lists of charts and statements.',
  query: 'Queries in SeriesQL.',
  operate: 'State and health of the server.',
} as const;
type Tag = keyof typeof tags;

export interface RouteAnswer {
  /** 200 if absent. */
  readonly status?: number;
  readonly purpose: string;
  /** `application/json` if absent; with the status 204 there is no body. */
  readonly mediaType?: string;
  /** A form that the Accept header selects instead. */
  readonly otherMediaTypes?: readonly string[];
  /** The schema of the JSON or of each JSON line. Absent for text and for JSON of any form. */
  readonly schema?: NamedSchema;
  readonly isArray?: boolean;
}

/** A request with its answer; docs/http-api.md shows it and a test runs it. */
export interface RouteExample {
  readonly query?: Readonly<Record<string, string>>;
  /** An object is sent as JSON. */
  readonly body?: string | Readonly<Record<string, unknown>>;
  /** An object is a JSON answer; otherwise a text. */
  readonly answer: string | object;
  /** True if the server's numbers differ and its answer has further members, items and lines. */
  readonly isSketch?: true;
}

/** The static facts of a route. */
interface RouteFacts {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /**
   * The path. One segment may be a parameter such as `{id}`, which is read like a query parameter.
   */
  readonly path: string;
  readonly scope: Scope;
  /** True for a health probe, which any Host name may call. It reveals and changes nothing. */
  readonly isProbe?: true;
  /**
   * True if the first thread must answer: it concerns all threads or needs data of the first one.
   */
  readonly isCentral?: true;
  /** True if other sites may link to it. It contains no data of the database. */
  readonly isLinked?: true;
  /** All routes of a path have the same protocol. */
  readonly protocol?: RouteProtocol;
  readonly tag: Tag;
  readonly summary: string;
  readonly answer: RouteAnswer;
  /** An answer that is neither success nor our error format. It replaces that format. */
  readonly refusal?: RouteAnswer;
  /** Codes in addition to those that the rest of the declaration implies. */
  readonly errors?: readonly ErrorCode[];
  /** Settings that limit one request, in addition to the limits of body and time. */
  readonly limits?: readonly string[];
  readonly example: RouteExample;
}

export interface RouteDescription extends RouteFacts {
  readonly query: QueryShape | null;
  readonly body: BodyShape | null;
  /** The setting that replaces `answer_timeout_ms`; null if `answer_timeout_ms` applies. */
  readonly timeSetting: string | null;
}

/** At once or later. */
export type Answered = Reply | Later<Reply> | Promise<Reply>;

export interface Route<Context> extends RouteDescription {
  /** Reads the request, then calls the handler. */
  readonly respond: (request: Request, context: Context) => Answered;
}

/** The arguments of a handler: query string and body, read by their declarations. */
interface RouteRequest<Query, Body> {
  readonly query: Query;
  readonly body: Body;
  readonly request: Request;
}

interface RouteDeclaration<Context, Query, Body> extends RouteFacts {
  /** If absent, our routes below `/api/` refuse all parameters. Other routes ignore them. */
  readonly query?: QueryReader<Query>;
  /** Without a declaration the body is discarded. */
  readonly body?: BodyReader<Body, Context>;
  /** Its own time limit, from the end of the body; `setting` names its setting. */
  readonly timeLimit?: { readonly setting: string; readonly ms: (context: Context) => number };
  readonly handler: (asked: RouteRequest<Query, Body>, context: Context) => Answered;
}

const noParameters = querySchema({}, { refusesUnknown: true });

/** Declares a route whose handler gets a `Context`. */
export type DeclareRoute<Context> = <Query = undefined, Body = undefined>(
  declaration: RouteDeclaration<Context, Query, Body>,
) => Route<Context>;

export function routesFor<Context>(): DeclareRoute<Context> {
  return <Query = undefined, Body = undefined>(
    declaration: RouteDeclaration<Context, Query, Body>,
  ): Route<Context> => {
    const { body, timeLimit, handler, ...facts } = declaration;
    const isOurs = facts.protocol === undefined && facts.path.startsWith('/api/');
    const query = declaration.query ?? (isOurs ? noParameters : undefined);
    const answer = (asked: RouteRequest<Query, Body>, context: Context): Answered => {
      if (timeLimit !== undefined) asked.request.mayTake(timeLimit.ms(context));
      return handler(asked, context);
    };
    return {
      ...facts,
      query: query?.shape ?? null,
      body: body?.shape ?? null,
      timeSetting: timeLimit?.setting ?? null,
      respond: (request, context) => {
        // An undeclared part has the type undefined.
        const asked = query?.read(request.head.query, request) as Query;
        const sent = body?.read(request, context) as Body | Promise<Body>;
        if (!(sent instanceof Promise))
          return answer({ query: asked, body: sent, request }, context);
        return sent.then((read) => answer({ query: asked, body: read, request }, context));
      },
    };
  };
}
