/** States that the times of a step query or a frame are milliseconds. */

import type { Milliseconds } from '../../src/common/model/timestamp-unit.js';

type Times = 'start' | 'end' | 'step' | 'window' | 'offset' | `${string}Ms`;

type InMs<Of> = {
  readonly [Key in keyof Of]: Key extends Times ? Branded<Of[Key]> : Of[Key];
};

type Branded<Value> = Value extends number ? Milliseconds : Value;

export function inMs<const Of extends object>(times: Of): InMs<Of> {
  return times as InMs<Of>;
}
