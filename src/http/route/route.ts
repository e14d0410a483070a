/**
 * A route is one value: who may ask what, what is answered, and who does it. The table of a
 * listener, its guard, the readers of requests, the API description and docs/http-api.md are made
 * from these values, and nothing about a route stands anywhere else.
 */

import { querySchema, type QueryReader, type QueryShape } from '../fields/query-schema.js';

import type { Later } from '../../model/later.js';
import type { TokenScope } from '../../auth/token.js';
import type { AppError } from '../../errors/app-error.js';
import type { ErrorCode } from '../../errors/catalog.js';
import type { NamedSchema } from '../fields/json-schema.js';
import type { Reply } from './reply.js';
import type { Request } from './request.js';
import type { BodyReader, BodyShape } from './route-body.js';

/**
 * Who may ask, where the listener asks for tokens: anybody; anybody unless `open_status` is false,
 * then the scope `read`; who has any token (the handler then asks for more); who has one with this
 * scope.
 */
export type Scope = 'public' | 'status' | 'token' | TokenScope;

/** What the routes of a foreign protocol have in place of ours. */
export interface RouteProtocol {
  /** In metrics. */
  readonly name: string;
  /** An error in its words. */
  readonly printError: (printed: PrintedError) => Reply;
  /** Of what that is. */
  readonly errorSchema: NamedSchema;
  /** JSON if absent. */
  readonly errorMediaType?: string;
  /** Of codes that have another one there than in the catalog. */
  readonly statuses?: Readonly<Partial<Record<ErrorCode, number>>>;
  /** `p` in the query string may be the token. */
  readonly takesQuerySecret?: true;
}

interface PrintedError {
  readonly error: AppError;
  /** That ours has. */
  readonly headers: readonly (readonly [string, string])[];
  /** Of the product. */
  readonly version: string;
  /** Of the request. */
  readonly contentType: string | undefined;
}

/** What routes are about, in the order in which documents have them. */
export const tags = {
  write: 'Samples come in.',
  read: 'Samples of known series.',
  discover: 'What series there are.',
  annotate: 'Notes on stretches of time.',
  boards: 'Charts and statements under one name.',
  query: 'The query language.',
  operate: 'How the server does.',
} as const;
type Tag = keyof typeof tags;

export interface RouteAnswer {
  /** 200 if absent. */
  readonly status?: number;
  readonly purpose: string;
  /** `application/json` if absent; with the status 204 there is no body. */
  readonly mediaType?: string;
  /** Which the Accept header chooses instead. */
  readonly otherMediaTypes?: readonly string[];
  /** Of the JSON, or of each line of it; absent: text, or JSON of any form. */
  readonly schema?: NamedSchema;
  readonly isArray?: boolean;
}

/** One request with its answer, which docs/http-api.md shows and a test plays. */
export interface RouteExample {
  readonly query?: Readonly<Record<string, string>>;
  /** An object is sent as JSON. */
  readonly body?: string | Readonly<Record<string, unknown>>;
  /** What is no text is its JSON, member by member. */
  readonly answer: string | object;
  /** The server says other figures, and more: members, items and lines are left out here. */
  readonly isSketch?: true;
}

/** What can be said of a route without running it. */
interface RouteFacts {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** One part may be a parameter, as `{id}`, which is read as one of the query string is. */
  readonly path: string;
  readonly scope: Scope;
  /** What orchestrators ask, by whatever name: it tells nothing and changes nothing. */
  readonly isProbe?: true;
  /** It tells of all threads of the server, or has what the first alone has: that one answers. */
  readonly isCentral?: true;
  /** What other sites may link to: it holds nothing of the database. */
  readonly isLinked?: true;
  /** All routes of a path have the same. */
  readonly protocol?: RouteProtocol;
  readonly tag: Tag;
  readonly summary: string;
  readonly answer: RouteAnswer;
  /** An answer that is no success and has not the form of errors, in place of theirs. */
  readonly refusal?: RouteAnswer;
  /** Beside those that follow from the rest of the declaration. */
  readonly errors?: readonly ErrorCode[];
  /** Settings that limit what one request may bring or take, beside those of its body and time. */
  readonly limits?: readonly string[];
  readonly example: RouteExample;
}

export interface RouteDescription extends RouteFacts {
  readonly query: QueryShape | null;
  readonly body: BodyShape | null;
  /** The setting that limits its time in place of `answer_timeout_ms`; null where that does. */
  readonly timeSetting: string | null;
}

/** At once or later. */
export type Answered = Reply | Later<Reply> | Promise<Reply>;

export interface Route<Context> extends RouteDescription {
  /** Reads the request, then asks the handler. */
  readonly respond: (request: Request, context: Context) => Answered;
}

/** What a handler is given: the query string and the body as their declarations read them. */
interface Asked<Query, Body> {
  readonly query: Query;
  readonly body: Body;
  readonly request: Request;
}

interface Declaration<Context, Query, Body> extends RouteFacts {
  /** Without one our routes below `/api/` refuse parameters; others do not look at them. */
  readonly query?: QueryReader<Query>;
  /** Without one the body is thrown away. */
  readonly body?: BodyReader<Body, Context>;
  /** A time limit of its own, from the end of the body on; `setting` is what it comes from. */
  readonly timeLimit?: { readonly setting: string; readonly ms: (context: Context) => number };
  readonly handler: (asked: Asked<Query, Body>, context: Context) => Answered;
}

const noParameters = querySchema({}, { refusesUnknown: true });

/** Declares a route whose handler is given a `Context`. */
export type DeclareRoute<Context> = <Query = undefined, Body = undefined>(
  declaration: Declaration<Context, Query, Body>,
) => Route<Context>;

export function routesFor<Context>(): DeclareRoute<Context> {
  return <Query = undefined, Body = undefined>(
    declaration: Declaration<Context, Query, Body>,
  ): Route<Context> => {
    const { body, timeLimit, handler, ...facts } = declaration;
    const isOurs = facts.protocol === undefined && facts.path.startsWith('/api/');
    const query = declaration.query ?? (isOurs ? noParameters : undefined);
    const answer = (asked: Asked<Query, Body>, context: Context): Answered => {
      if (timeLimit !== undefined) asked.request.mayTake(timeLimit.ms(context));
      return handler(asked, context);
    };
    return {
      ...facts,
      query: query?.shape ?? null,
      body: body?.shape ?? null,
      timeSetting: timeLimit?.setting ?? null,
      respond: (request, context) => {
        // What is not declared has the type undefined.
        const asked = query?.read(request.head.query, request) as Query;
        const sent = body?.read(request, context) as Body | Promise<Body>;
        if (!(sent instanceof Promise))
          return answer({ query: asked, body: sent, request }, context);
        return sent.then((read) => answer({ query: asked, body: read, request }, context));
      },
    };
  };
}
