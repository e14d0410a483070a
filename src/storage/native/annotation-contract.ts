/** Annotations and required labels; part of `contract.ts`. */

import type { DatabaseTime } from '../../common/model/timestamp-unit.js';

/** Restricts the call to data with all of these labels. */
export interface NativeRequired {
  /** Flat key, value, …; absent: none. */
  readonly required?: readonly string[];
}

/** Labels are flat: key, value, … The end must not precede the start. */
export interface NativeAnnotation extends NativeRequired {
  readonly change: 'annotation';
  /** The id of the annotation to replace; 0n: a new one. */
  readonly changes: bigint;
  readonly kind: string;
  readonly title: string;
  readonly message: string | null;
  readonly metric: string | null;
  readonly labels: readonly string[];
  readonly start: DatabaseTime;
  readonly end: DatabaseTime;
}

/** Deletes an annotation. */
export interface NativeDeletion extends NativeRequired {
  readonly change: 'deletion';
  readonly id: bigint;
}

/** A null member does not filter. */
export interface NativeAnnotationFilter extends NativeRequired {
  readonly answer: 'annotations';
  readonly start: DatabaseTime;
  readonly end: DatabaseTime;
  readonly kind: string | null;
  readonly metric: string | null;
  readonly labels: readonly string[];
  readonly isAnyLabel: boolean;
  readonly limit: number | null;
}
