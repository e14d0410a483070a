/** The tools of the head: time range, refresh, zone and theme. */

import { choose, place } from '../location.js';
import { chosenZone, theme, themes, zone } from '../preferences.js';
import { allTime, presets, readOwnText, windowOf } from '../time-window.js';
import { livePaces, valueIn } from '../url.js';
import { clock, windowText } from '../view.js';
import { allZones, isZone, offsetSeconds, printOffset, printTime, zoneFault } from '../zone.js';
import { Choice, Choices, Menu } from './menu.js';
import { TextChoice } from './text-choice.js';

const wordOf: Readonly<Record<string, string>> = {
  '15m': 'Last 15 minutes',
  '1h': 'Last hour',
  '6h': 'Last 6 hours',
  '24h': 'Last 24 hours',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
  '90d': 'Last 90 days',
  '1y': 'Last year',
  today: 'Today',
  yesterday: 'Yesterday',
  'this-week': 'This week',
  [allTime]: 'All data',
};

/**
 * `2026-11-20 10:00 –`, `12:00` and `+01:00`, or the name of the preset. A narrow head has them
 * below each other.
 */
function shownWindow(text: string | null): readonly string[] {
  if (text === null) return ['Fit to data'];
  const found = windowOf(text, { ...clock.value, nowMs: Date.now() });
  const word = wordOf[text];
  if (word !== undefined) return [word];
  if (found === null || found.endsNow) return [`Last ${text}`];
  const [startDay = '', start = '', before = ''] = printTime(found.start, clock.value).split(' ');
  const [endDay = '', end = '', offset = ''] = printTime(found.end, clock.value).split(' ');
  const day = startDay === endDay ? '' : `${endDay} `;
  const changed = before === offset ? '' : ` ${before}`;
  return [`${startDay} ${start.slice(0, 5)}${changed} –`, `${day}${end.slice(0, 5)}`, offset];
}

export function TimeTool() {
  const text = windowText.value;
  const pick = (t: string | null, close: () => void): void => {
    choose({ t });
    close();
  };
  return (
    <Menu icon="clock" name="Time" shown={shownWindow(text)}>
      {(close) => (
        <>
          <Choices
            of={[null, ...presets, allTime]}
            chosen={text}
            choose={(one) => {
              pick(one, close);
            }}
            wordsOf={(one) => (one === null ? 'Fit to data' : wordOf[one])}
          />
          <TextChoice
            name="Custom range"
            hint="2026-11-20 10:00 .. +2h, or now-90m"
            fault="Write it as 2026-11-20 10:00 .. +2h, now-90m, this week or 2026-11-20 .. now."
            take={(own) => {
              const t = readOwnText(own, { clock: clock.value, nowMs: Date.now() });
              if (t !== null) pick(t, close);
              return t !== null;
            }}
          />
        </>
      )}
    </Menu>
  );
}

export function LiveTool() {
  const live = valueIn(place.value, 'live');
  return (
    <Menu icon="live" name="Live" label="Live " shown={live ?? 'off'} isOn={live !== null}>
      {(close) => (
        <Choices
          of={[null, ...Object.keys(livePaces)]}
          chosen={live}
          choose={(one) => {
            choose({ live: one });
            close();
          }}
          wordsOf={(one) => (one === null ? 'Off' : `Every ${one}`)}
        />
      )}
    </Menu>
  );
}

const offsetNow = (name: string): string => printOffset(offsetSeconds(Date.now(), name));

export function ZoneTool() {
  const pick = (name: string, close: () => void): void => {
    chosenZone.value = name;
    close();
  };
  const choices = [
    { name: '', words: 'This browser’s' },
    { name: 'UTC', words: 'UTC' },
  ];
  const shown = zone.value === 'UTC' ? 'UTC' : offsetNow(zone.value);
  return (
    <Menu icon="globe" name="Time zone" shown={shown}>
      {(close) => (
        <>
          <p class="quiet">
            {zone.value} {offsetNow(zone.value)}
          </p>
          {choices.map(({ name, words }) => (
            <Choice
              key={name}
              isChosen={chosenZone.value === name}
              onChoose={() => {
                pick(name, close);
              }}
            >
              {words}
            </Choice>
          ))}
          <TextChoice
            name="Another zone"
            hint="Europe/Berlin"
            fault={zoneFault}
            options={allZones()}
            take={(name) => {
              if (isZone(name)) pick(name, close);
              return isZone(name);
            }}
          />
        </>
      )}
    </Menu>
  );
}

const themeWords = { system: 'Match system', light: 'Light', dark: 'Dark' } as const;

export function ThemeChoices({ close }: { readonly close?: () => void }) {
  return (
    <Choices
      of={themes}
      chosen={theme.value}
      choose={(one) => {
        theme.value = one;
        close?.();
      }}
      wordsOf={(one) => themeWords[one]}
    />
  );
}

export function ThemeTool() {
  return (
    <Menu icon="theme" name="Theme">
      {(close) => <ThemeChoices close={close} />}
    </Menu>
  );
}
