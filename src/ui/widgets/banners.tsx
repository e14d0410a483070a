/** What holds for the whole page: a server that does not answer, an address that cannot be read. */

import { epochText } from '../view.js';
import { lostAtMs } from '../data/server.js';
import { place } from '../location.js';
import { faultsIn } from '../url.js';
import { Icon } from './icons.js';

export function Banners() {
  const lost = lostAtMs.value;
  return (
    <>
      {lost === null ? null : (
        <p class="notice bad" role="alert">
          <Icon name="warning" />
          Not reachable since {epochText(lost)}. It is tried again every few seconds.
        </p>
      )}
      {faultsIn(place.value).map((sentence) => (
        <p class="notice" role="alert" key={sentence}>
          <Icon name="warning" />
          {sentence}
        </p>
      ))}
    </>
  );
}
