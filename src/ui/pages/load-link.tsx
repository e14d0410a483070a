/** A link to the page Load. */

import { place } from '../location.js';
import { placeOfPage, printPlace } from '../url.js';
import { Icon } from '../widgets/icons.js';

export function LoadLink() {
  return (
    <a class="button" href={printPlace(placeOfPage('load', place.value))}>
      <Icon name="upload" />
      Load a file
    </a>
  );
}
