/** The rules of a SELECT, in the order of their checks. */

import { fillFitsTypes } from './fill-fits-types.js';
import { fillNeedsBounds } from './fill-needs-bounds.js';
import { fillNeedsBucket } from './fill-needs-bucket.js';
import { groupsNeedFrom } from './groups-need-from.js';
import { havingNeedsGroups } from './having-needs-groups.js';
import { samplesNeedBound } from './samples-need-bound.js';
import { starBesideGroups } from './star-beside-groups.js';
import { starNeedsFrom } from './star-needs-from.js';
import { windowsBesideGroups } from './windows-beside-groups.js';

import type { ReadRule, SelectRule } from './rule.js';

/** Rules on combinations. If one fails, no further rule is checked. */
export const mixtureRules: readonly SelectRule[] = [
  starNeedsFrom,
  starBesideGroups,
  windowsBesideGroups,
  havingNeedsGroups,
  groupsNeedFrom,
];

/** Rules on the read and on FILL. */
export const readRules: readonly ReadRule[] = [
  fillNeedsBucket,
  fillNeedsBounds,
  fillFitsTypes,
  samplesNeedBound,
];
