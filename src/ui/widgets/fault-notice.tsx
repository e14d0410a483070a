/** A notice about a failure. */

import { Icon } from './icons.js';

interface NoticeOptions {
  /** Empty: no notice. */
  readonly text: string;
  /** A screen reader speaks an alert at once, a status when it is idle. */
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
