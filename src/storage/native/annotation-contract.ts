/** What `contract.ts` says of annotations, and of labels that something must have. */

/** As if nothing were there but what has all of these labels. */
export interface NativeRequired {
  /** Flat key, value, …; absent: none. */
  readonly required?: readonly string[];
}

/** Labels are flat: key, value, … The end is not before the start. */
export interface NativeAnnotation extends NativeRequired {
  readonly change: 'annotation';
  /** The id of the one whose place it takes; 0n: it is a new one. */
  readonly changes: bigint;
  readonly kind: string;
  readonly title: string;
  readonly message: string | null;
  readonly metric: string | null;
  readonly labels: readonly string[];
  readonly start: bigint;
  readonly end: bigint;
}

/** Of an annotation. */
export interface NativeDeletion extends NativeRequired {
  readonly change: 'deletion';
  readonly id: bigint;
}

/** Null does not filter. */
export interface NativeAnnotationFilter extends NativeRequired {
  readonly answer: 'annotations';
  readonly start: bigint;
  readonly end: bigint;
  readonly kind: string | null;
  readonly metric: string | null;
  readonly labels: readonly string[];
  readonly isAnyLabel: boolean;
  readonly limit: number | null;
}
