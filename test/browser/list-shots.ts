/** Screenshot states of the list pages: health, notes, compare, server. */

import { drawn, press, type Shot } from './shot-hands.js';

import type { Page } from '../support/browser-types.js';

const saw = (text: string | RegExp) => (page: Page) => page.getByText(text).first().waitFor();

/** Hints contain the same words, and may be hidden. */
const sawButton = (name: RegExp) => (page: Page) =>
  page.getByRole('button', { name }).first().waitFor();

const focus = (name: RegExp) => (page: Page) =>
  page.getByRole('button', { name }).first().press('Shift');

const seen = (page: Page) =>
  page.getByRole('img', { name: 'Samples per second, since this tab opened' }).waitFor();

export function listShots(url: string, emptyUrl: string): readonly Shot[] {
  return [
    { name: 'health-silent', url: `${url}/#/health?m=disk.temperature`, reach: saw(/^\{hostname/) },
    { name: 'health-silent-none', url: `${emptyUrl}/#/health`, reach: saw(/no series yet/) },
    {
      name: 'health-undocumented',
      url: `${url}/#/health/undocumented?m=cpu.latency`,
      reach: saw(/^curl/),
    },
    {
      name: 'health-cost',
      url: `${url}/#/health/cost?m=http.latency&k=hostname`,
      reach: saw('host_10'),
    },
    { name: 'notes', url: `${url}/#/notes`, reach: sawButton(/version 2\.4\.1/) },
    { name: 'notes-empty', url: `${emptyUrl}/#/notes`, reach: saw(/no notes yet/) },
    { name: 'notes-new', url: `${url}/#/notes?m=cpu.latency`, reach: press('New note') },
    { name: 'compare', url: `${url}/#/compare?m=room.load`, reach: drawn },
    {
      name: 'compare-one',
      url: `${url}/#/compare?m=room.load&w={room='5'}`,
      reach: drawn,
    },
    { name: 'compare-none', url: `${url}/#/compare` },
    { name: 'server-seen', url: `${url}/#/server`, reach: seen },
    { name: 'boards', url: `${url}/#/boards` },
    { name: 'board', url: `${url}/#/boards`, reach: openBoard },
    { name: 'load', url: `${url}/#/load`, reach: choose },
    { name: 'notes-tip', url: `${url}/#/notes`, reach: focus(/^database out of memory/) },
  ];
}

/** A year of two rooms, in a European spreadsheet's format. */
const rooms = [
  'Datum;Raum;Temperatur;Feuchte',
  ...Array.from({ length: 400 }, (_, at) => {
    const day = String(1 + (at % 28)).padStart(2, '0');
    const warmth = at % 90 === 40 ? 'defekt' : (20 + 2 * Math.sin(at / 30)).toFixed(1);
    const damp = (45 + 5 * Math.cos(at / 20)).toFixed(1).replace('.', ',');
    const room = at % 2 === 0 ? 'Bad' : 'Küche';
    return `${day}.11.2026 01:00;${room};${warmth.replace('.', ',')};${damp}`;
  }),
].join('\n');

async function choose(page: Page): Promise<void> {
  const file = { name: 'rooms.csv', mimeType: 'text/csv', buffer: Buffer.from(rooms) };
  await page.locator('input[type=file]').setInputFiles(file);
  await page.getByRole('button', { name: 'Load rooms.csv' }).waitFor();
}

async function openBoard(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Hosts and rooms' }).click();
  await drawn(page);
}

/** A board with the usual charts of hosts. */
export async function writeBoard(url: string): Promise<void> {
  const panels = [
    { title: 'CPU', metric: 'host.cpu', options: { n: '5' } },
    { title: 'CPU by region', metric: 'host.cpu', options: { by: 'region' } },
    { title: 'Warmth', metric: 'room.warmth' },
    {
      title: 'Newest values',
      ...{ statement: 'select tag.room, last(value) as load from room.load group by 1' },
    },
  ];
  const board = { name: 'Hosts and rooms', range: '6h', panels };
  const route = `${url}/api/v1/boards/write`;
  const { status } = await fetch(route, { method: 'POST', body: JSON.stringify(board) });
  if (status !== 201) throw new Error(`a board was answered by ${status}`);
}

/** Notes of three days, as a team would write them. */
export async function writeNotes(url: string, nowMs: number): Promise<void> {
  const hour = 3_600_000;
  const notes = [
    ...Array.from({ length: 9 }, (_, at) => ({
      ...{ kind: 'deploy', title: `version 2.4.${at}`, start: nowMs - 70 * hour + at * 7 * hour },
    })),
    {
      ...{ kind: 'incident', title: 'database out of memory', metric: 'mem.bytes' },
      ...{ labels: { hostname: 'host_5' }, start: nowMs - 41 * hour, end: nowMs - 34 * hour },
      message: 'It was restarted twice. https://wiki.example.org/incidents/41 has what was done.',
    },
    {
      ...{ kind: 'maintenance', title: 'new disks in rack 4', metric: 'disk.latency' },
      ...{ start: nowMs - 38 * hour, end: nowMs - 20 * hour },
    },
    { kind: 'deploy', title: 'version 2.5', start: nowMs - 3.4 * hour },
    { kind: 'holiday', title: 'nobody here', start: nowMs - 12 * hour, end: nowMs - hour },
  ];
  for (const note of notes) {
    const route = `${url}/api/v1/annotations/write`;
    const { status } = await fetch(route, { method: 'POST', body: JSON.stringify(note) });
    if (status !== 201) throw new Error(`a note was answered by ${status}`);
  }
}

/** Two weeks of a metric with an hour between its samples. */
export function hourlyLines(nowMs: number): readonly object[] {
  const hours = Array.from({ length: 15 * 24 }, (_, at) => at);
  return Array.from({ length: 12 }, (_, room) => room).flatMap((room) =>
    hours
      .filter((hour) => !(room === 3 && hour < 150) && !(room === 4 && hour > 100))
      .map((hour) => ({
        ...{ metric: 'room.load', kind: 'gauge', unit: 'percent', ts: nowMs - hour * 3_600_000 },
        ...{ description: 'How full a room is', labels: { room: String(room) } },
        value: 50 + 30 * Math.sin(hour / 4 + room) + (hour < 168 ? room * 2 : 0),
      })),
  );
}
