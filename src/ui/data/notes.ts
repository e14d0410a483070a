/** Annotations on the server. */

import { signal } from '@preact/signals';

import { ask } from './server.js';

import type { Annotation, AnnotationFilter, NewAnnotation } from '../../client/client.js';

/** The most notes that a page holds. */
export const notesMax = 10_000;

/** Kinds and metrics of known notes, with usual kinds first; suggested in forms. */
export const seenKinds = signal<readonly string[]>(['deploy', 'incident', 'maintenance']);
export const seenMetrics = signal<readonly string[]>([]);

export interface FoundNotes {
  /** By start, the latest first. */
  readonly notes: readonly Annotation[];
  readonly isCut: boolean;
}

export async function findNotes(
  filter: AnnotationFilter,
  signal: AbortSignal,
): Promise<FoundNotes> {
  const asked = { ...filter, limit: notesMax + 1 };
  const found = await ask((client) => client.findAnnotations(asked, { signal }));
  seenKinds.value = merged(seenKinds.value, found, ({ kind }) => kind);
  seenMetrics.value = merged(seenMetrics.value, found, ({ metric }) => metric);
  return { notes: found.slice(0, notesMax).reverse(), isCut: found.length > notesMax };
}

function merged(
  known: readonly string[],
  notes: readonly Annotation[],
  textOf: (note: Annotation) => string | undefined,
): readonly string[] {
  const all = new Set(known);
  for (const note of notes) all.add(textOf(note) ?? '');
  all.delete('');
  return all.size === known.length ? known : [...all].sort();
}

/** Stores the note without a retry; the caller reports an error. */
export function saveNote(id: bigint | null, note: NewAnnotation): Promise<Annotation> {
  return ask((client) =>
    id === null ? client.writeAnnotation(note) : client.updateAnnotation({ ...note, id }),
  );
}

export function deleteNote(id: bigint): Promise<Annotation> {
  return ask((client) => client.deleteAnnotation(id));
}
