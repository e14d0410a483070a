/**
 * Calls between two threads of the server over their port. Each thread offers functions of one
 * argument, which the other calls by name. Their errors are thrown in the caller with the same
 * code.
 */

import { AppError, toAppError } from '../common/errors/app-error.js';

import type { ErrorCode } from '../common/errors/catalog.js';

/** The functions that a thread offers. Arguments and results are copied. */
type Offered = Readonly<Record<string, (argument: never) => unknown>>;

type Result<Made> = Made extends Promise<infer Later> ? Later : Made;

/** A worker, or the port to its parent inside the worker. */
interface CallPort {
  postMessage(message: unknown): void;
  on(event: 'message', listener: (message: PortMessage) => void): unknown;
}

type PortMessage =
  | { readonly call: number; readonly name: string; readonly argument: unknown }
  | { readonly done: number; readonly result: unknown }
  | { readonly done: number; readonly code: ErrorCode; readonly reason: string };

interface PortCaller {
  readonly resolve: (result: never) => void;
  readonly reject: (reason: unknown) => void;
}

export class PortCalls<Theirs extends Offered> {
  readonly #port: CallPort;
  readonly #offered: Offered;
  readonly #waiting = new Map<number, PortCaller>();
  #lastCall = 0;
  #end: Error | null = null;

  constructor(port: CallPort, offered: Offered) {
    this.#port = port;
    this.#offered = offered;
    port.on('message', (message) => {
      if ('call' in message) void this.#answer(message);
      else this.#settle(message);
    });
  }

  call<Name extends keyof Theirs & string>(
    name: Name,
    argument: Parameters<Theirs[Name]>[0],
  ): Promise<Result<ReturnType<Theirs[Name]>>> {
    this.#lastCall += 1;
    const call = this.#lastCall;
    return new Promise((resolve, reject) => {
      if (this.#end !== null) {
        reject(this.#end);
        return;
      }
      this.#waiting.set(call, { resolve, reject });
      this.#port.postMessage({ call, name, argument } satisfies PortMessage);
    });
  }

  /** The other thread has ended: rejects all waiting and later calls. */
  end(reason: Error): void {
    this.#end = reason;
    for (const { reject } of this.#waiting.values()) reject(reason);
    this.#waiting.clear();
  }

  async #answer({ call, name, argument }: Extract<PortMessage, { name: string }>): Promise<void> {
    try {
      const offered = this.#offered[name] as ((argument: unknown) => unknown) | undefined;
      const result: unknown = await offered?.(argument);
      this.#port.postMessage({ done: call, result } satisfies PortMessage);
    } catch (error) {
      const { code, message: reason } = toAppError(error);
      this.#port.postMessage({ done: call, code, reason } satisfies PortMessage);
    }
  }

  #settle(message: Exclude<PortMessage, { name: string }>): void {
    const caller = this.#waiting.get(message.done);
    this.#waiting.delete(message.done);
    if ('code' in message) caller?.reject(new AppError(message.code, message.reason));
    else caller?.resolve(message.result as never);
  }
}
