/** Calls the addon and translates its errors to AppError. */

import { toAppError } from '../common/errors/app-error.js';

export function guarded<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw toAppError(error);
  }
}

export async function guardedAsync<T>(promise: Promise<T>): Promise<T> {
  try {
    return await promise;
  } catch (error) {
    throw toAppError(error);
  }
}
