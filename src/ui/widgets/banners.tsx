/** Banners of the whole page: a lost server and invalid values in the address. */

import { epochText } from '../view.js';
import { lostAtMs } from '../data/server.js';
import { place } from '../location.js';
import { faultsIn } from '../url.js';
import { FaultNotice } from './fault-notice.js';
import { Icon } from './icons.js';

export function Banners() {
  const lost = lostAtMs.value;
  return (
    <>
      <FaultNotice text={lost === null ? '' : lostWords(lost)} />
      {faultsIn(place.value).map((sentence) => (
        <p class="notice" role="alert" key={sentence}>
          <Icon name="warning" />
          {sentence}
        </p>
      ))}
    </>
  );
}

function lostWords(sinceMs: number): string {
  return `The server has not answered since ${epochText(sinceMs)}. Trying again every few seconds.`;
}
