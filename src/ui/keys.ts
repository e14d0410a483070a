/** Decides which keys the page may handle. */

/** True if the user is typing, or the key belongs to another program. */
export function isForOthers(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return true;
  const { target } = event;
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.closest('input, textarea, select, dialog') !== null;
}
