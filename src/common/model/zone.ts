/** Time zones by IANA name: local times and offsets. */

import { nearWord } from './nearest.js';
import { visibleBeginning } from './visible-text.js';

/** More than there are zones. Offsets such as `+01:00` are names, too, in newer Node.js. */
const kFormatsMax = 1000;

/**
 * A function that gives the format of a zone, made once however the name is written, since names of
 * zones ignore case. It throws a RangeError if the zone does not exist.
 */
export function formatsOf(
  options: Intl.DateTimeFormatOptions,
): (zone: string) => Intl.DateTimeFormat {
  const formats = new Map<string, Intl.DateTimeFormat>();
  return (zone) => {
    // Only ASCII letters: others that become ASCII in lower case are in no name.
    const key = zone.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
    const known = formats.get(key);
    if (known !== undefined) return known;
    const made = new Intl.DateTimeFormat('en-US', { ...options, timeZone: zone });
    if (formats.size >= kFormatsMax) formats.clear();
    formats.set(key, made);
    return made;
  };
}

const formatOf = formatsOf({ timeZoneName: 'longOffset' });

/** What an error says of a name that is no zone; `zoneHint` where a hint has its own place. */
export const kNoZone = 'no such time zone';

export function noZone(name: string): string {
  return `${kNoZone}: ${visibleBeginning(name)}; ${zoneHint(name)}`;
}

/** Which zone was meant by a name that is none; `quote` stands around the zone. */
export function zoneHint(name: string, quote = ''): string {
  const meant = meantZone(name.trim().replaceAll(' ', '_'));
  return meant === undefined
    ? `zones have names like ${quote}Europe/Berlin${quote}`
    : `did you mean ${quote}${meant}${quote}?`;
}

/** `MSK` or `CEST`, which is no misspelt city. */
const abbreviation = /^[A-Z]{1,4}$/;

/** A misspelt zone, or a city, whose continent people leave out. */
function meantZone(name: string): string | undefined {
  const zones = allZones();
  if (name.includes('/')) return nearWord(name, zones);
  if (abbreviation.test(name)) return undefined;
  const zoneByCity = new Map(zones.map((zone) => [zone.slice(zone.lastIndexOf('/') + 1), zone]));
  const city = nearWord(name, zoneByCity.keys());
  return city === undefined ? undefined : zoneByCity.get(city);
}

/** By name; UTC is the first. */
export function allZones(): readonly string[] {
  return ['UTC', ...Intl.supportedValuesOf('timeZone').filter((name) => name !== 'UTC')];
}

export function isZone(name: string): boolean {
  try {
    formatOf(name);
    return true;
  } catch {
    return false;
  }
}

/** The zone's offset from UTC at that moment, in seconds. Positive means east of UTC. */
export function offsetSeconds(ms: number, zone: string): number {
  const parts = formatOf(zone).formatToParts(ms);
  const text = parts.find((part) => part.type === 'timeZoneName')?.value ?? '';
  const [, sign, hours = '0', minutes = '0', seconds = '0'] =
    /GMT([+−-])(\d+)(?::(\d+))?(?::(\d+))?/.exec(text) ?? [];
  const size = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return sign === undefined || sign === '+' ? size : -size;
}

/** Prints `+01:00`, with seconds if the offset has them. */
export function printOffset(seconds: number): string {
  const size = Math.abs(seconds);
  const parts = [Math.floor(size / 3600), Math.floor(size / 60) % 60, size % 60];
  const shown = parts.slice(0, size % 60 === 0 ? 2 : 3);
  return (seconds < 0 ? '-' : '+') + shown.map((one) => String(one).padStart(2, '0')).join(':');
}

const kDayMs = 86_400_000;
/** Date holds 100 million days each way. Offsets are looked up to two days further. */
const kShownMsMax = 8.64e15 - 3 * kDayMs;

/** The offsets one day before and one day after a day. Most days have one offset. */
const offsetsOfDays = new Map<string, readonly [number, number]>();
const offsetsMax = 10_000;

function offsetsAround(ms: number, zone: string): readonly [number, number] {
  const day = Math.floor(ms / kDayMs);
  const key = `${zone} ${String(day)}`;
  const known = offsetsOfDays.get(key);
  if (known !== undefined) return known;
  const [before, after] = [(day - 1) * kDayMs, (day + 2) * kDayMs];
  const found = [offsetSeconds(before, zone), offsetSeconds(after, zone)] as const;
  if (offsetsOfDays.size >= offsetsMax) offsetsOfDays.clear();
  offsetsOfDays.set(key, found);
  return found;
}

/**
 * The moment of a local time, which counts as if it were UTC. If the local time occurs twice, this
 * is the first moment. If clocks skip it, the result is later by the length of the gap.
 */
export function msOfShown(shownMs: number, zone: string): number {
  const [first] = momentsOfShown(shownMs, zone);
  return first ?? shownMs - offsetsAround(shownMs, zone)[0] * 1000;
}

/** All moments of a local time: one, none, or two in ascending order. */
export function momentsOfShown(shownMs: number, zone: string): readonly number[] {
  // Date has no local time beyond its range.
  if (Math.abs(shownMs) > kShownMsMax) return [shownMs];
  const [before, after] = offsetsAround(shownMs, zone);
  if (before === after) return [shownMs - before * 1000];
  const candidates = [before, after].map((offset) => shownMs - offset * 1000);
  const found = candidates.filter((ms) => ms + offsetSeconds(ms, zone) * 1000 === shownMs);
  return found.sort((left, right) => left - right);
}
