/** The one error of the client: what the server refused, or why there was no answer. */

interface ClientErrorFields {
  readonly code: string;
  readonly status: number;
  readonly message: string;
  readonly cause?: unknown;
  /** How long the server asks to wait. */
  readonly retryAfterMs?: number | null;
}

/** Codes that this side gives; every other code is the server's, as in docs/errors.md. */
export const clientCodes = {
  /** No answer, or only a part of one: the server is not there, or the connection broke. */
  network: 'network_error',
  /** Something answered that does not speak this API, a proxy for example. */
  answer: 'invalid_answer',
  /** The request was not sent, since an argument cannot be right. */
  argument: 'invalid_argument',
} as const;

export class SeriesDbError extends Error {
  /** A code of the server's catalogue, of PromQL Prometheus' `errorType`, or of `clientCodes`. */
  readonly code: string;
  /** The HTTP status; 0 when there was no answer. */
  readonly status: number;
  /** The line of the ingested text that was refused, from 1. */
  readonly line: number | null;
  /** How long the server asks to wait; null when it does not say that waiting helps. */
  readonly retryAfterMs: number | null;

  constructor(fields: ClientErrorFields) {
    super(fields.message, fields.cause === undefined ? undefined : { cause: fields.cause });
    this.name = 'SeriesDbError';
    this.code = fields.code;
    this.status = fields.status;
    this.line = lineOf(fields.message);
    this.retryAfterMs = fields.retryAfterMs ?? null;
  }

  /** Whether the same request may succeed later, as the server says. */
  get mayPass(): boolean {
    return (this.status === 503 || this.status === 429) && this.retryAfterMs !== null;
  }
}

/** The server names a bad line at the start of its sentence. */
const linePattern = /^line (\d{1,15}):/;

function lineOf(message: string): number | null {
  const match = linePattern.exec(message);
  return match === null ? null : Number(match[1]);
}

/** The same error for a text that is a part of a longer one, `linesBefore` lines into it. */
export function shiftLine(error: SeriesDbError, linesBefore: number): SeriesDbError {
  if (error.line === null || linesBefore === 0) return error;
  const { code, status, line, retryAfterMs } = error;
  const message = shiftMessage(error.message, line + linesBefore);
  return new SeriesDbError({ code, status, message, retryAfterMs, cause: error });
}

export function shiftMessage(message: string, line: number): string {
  return message.replace(linePattern, `line ${line}:`);
}

export function invalidArgument(message: string): SeriesDbError {
  return new SeriesDbError({ code: clientCodes.argument, status: 0, message });
}

export function invalidAnswer(message: string, cause?: unknown): SeriesDbError {
  return new SeriesDbError({ code: clientCodes.answer, status: 0, message, cause });
}
