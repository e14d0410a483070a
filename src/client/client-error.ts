/** The client's only error class: a refusal of the server, or the reason for a missing answer. */

interface ClientErrorFields {
  readonly code: string;
  readonly status: number;
  readonly message: string;
  readonly cause?: unknown;
  /** The wait that the server requests. */
  readonly retryAfterMs?: number | null;
}

/** Codes of the client. Every other code comes from the server; docs/errors.md lists them. */
export const clientCodes = {
  /** No answer or a partial one: the server is unreachable, or the connection broke. */
  network: 'network_error',
  /** The answer does not follow this API. A proxy may have sent it. */
  answer: 'invalid_answer',
  /** The request was not sent, since an argument is invalid. */
  argument: 'invalid_argument',
} as const;

export class SeriesDbError extends Error {
  /**
   * A code of the server's catalogue, Prometheus' `errorType` for PromQL, or one of `clientCodes`.
   */
  readonly code: string;
  /** The HTTP status; 0 without an answer. */
  readonly status: number;
  /** The refused line of the ingested text, from 1. Null if no line was refused. */
  readonly line: number | null;
  /** The wait that the server requests; null if the server does not suggest a retry. */
  readonly retryAfterMs: number | null;

  constructor(fields: ClientErrorFields) {
    super(fields.message, fields.cause === undefined ? undefined : { cause: fields.cause });
    this.name = 'SeriesDbError';
    this.code = fields.code;
    this.status = fields.status;
    this.line = lineOf(fields.message);
    this.retryAfterMs = fields.retryAfterMs ?? null;
  }

  /** True if the server says that the same request may succeed later. */
  get mayPass(): boolean {
    return (this.status === 503 || this.status === 429) && this.retryAfterMs !== null;
  }
}

/** The server's message begins with the number of the bad line. */
const linePattern = /^line (\d{1,15}):/;

function lineOf(message: string): number | null {
  const match = linePattern.exec(message);
  return match === null ? null : Number(match[1]);
}

/** Shifts the error's line by `linesBefore`, if the sent text was part of a longer one. */
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
