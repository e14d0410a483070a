/** A sentence about something that failed. */

import { Icon } from './icons.js';

interface NoticeOptions {
  /** Empty: nothing failed. */
  readonly text: string;
  /** A warning is said when the screen reader is done, a failure at once. */
  readonly role?: 'alert' | 'status';
}

export function FaultNotice({ text, role = 'alert' }: NoticeOptions) {
  if (text === '') return null;
  return (
    <p class="notice bad" role={role}>
      <Icon name="warning" />
      <span class="reason">{text}</span>
    </p>
  );
}
