/** SeriesQL queries of dashboards over few series, and sweeps over all. */
import { hourMs, metrics } from '../generator.js';
import { reach, type QuestionReach } from '../reach.js';

import type { Draw, Stock } from './draw.js';
import { statement, type Question } from './question.js';

const minuteMs = 60_000;
const dayMs = 86_400_000;
const minute = 'time_bucket(1m, time) as t';
const hour = 'time_bucket(1h, time) as t';

/** Questions for about a hundred hosts with more than twelve hours. */
export function statements(stock: Stock): readonly Question[] {
  return [...panels(stock), ...sweeps(stock), ...longTexts(stock)];
}

function panels(stock: Stock): readonly Question[] {
  return [
    statement(stock, {
      name: 'one host, one metric, 1 h by minute',
      extent: { lengthMs: hourMs },
      text: (asked) =>
        `select ${minute}, max(value) from ${metricOf(asked)}{host=${hostOf(asked)}} where ${during(asked)} group by t`,
      inWords: (words, asked) => words.maxByMetric(asked, minuteMs),
      reach: reach.oneHost,
    }),
    statement(stock, {
      name: '8 hosts, one metric, 1 h by minute',
      extent: { hosts: 8, lengthMs: hourMs },
      text: (asked) =>
        `select ${minute}, max(value) from ${metricOf(asked)} where ${among(asked)} and ${during(asked)} group by t`,
      inWords: (words, asked) => words.maxByMetric(asked, minuteMs),
      reach: reach.eightHosts,
    }),
    statement(stock, {
      name: 'one host, 5 metrics, 12 h by minute',
      extent: { metrics: 5, lengthMs: 12 * hourMs },
      text: (asked) =>
        `select metric, ${minute}, max(value) from cpu.*{host=${hostOf(asked)}} where metric in (${quoted(asked.metrics.map((name) => `cpu.${name}`))}) and ${during(asked)} group by metric, t`,
      inWords: (words, asked) => words.maxByMetric(asked, minuteMs),
      reach: reach.fiveMetrics,
    }),
    hourly(stock, 8),
    newestFive(stock),
  ];
}

/** Ten metrics of eight hosts, over `hours` hours. */
function hourly(stock: Stock, hours: number): Question {
  return statement(stock, {
    name: `8 hosts, 10 metrics, ${String(hours)} h by hour`,
    extent: { hosts: 8, metrics: metrics.length, lengthMs: hours * hourMs },
    text: (asked) =>
      `select metric, ${hour}, max(value) from cpu.* where ${among(asked)} and ${during(asked)} group by metric, t`,
    inWords: (words, asked) => words.maxByMetric(asked, hourMs),
    reach: hours === 8 ? reach.tenMetricsOfEight : reach.fleetEightHosts,
  });
}

function newestFive(stock: Stock, wanted: QuestionReach = reach.newestFive): Question {
  return statement(stock, {
    name: 'newest five buckets',
    extent: { lengthMs: 5 * minuteMs },
    text: (asked) =>
      `select ${minute}, max(value) from ${metricOf(asked)} where time < ${String(asked.end)} group by t order by t desc limit 5`,
    inWords: (words, asked) => words.newestMax(asked),
    reach: wanted,
  });
}

function sweeps(stock: Stock): readonly Question[] {
  return [
    byHourAndHost(stock, 12),
    lastOfEvery(stock, 'every series', reach.lastOfEvery),
    above(stock, 12),
    statement(stock, {
      name: 'all hosts, 12 h, by hour and above 50',
      extent: { lengthMs: 12 * hourMs },
      text: (asked) =>
        `select ${hour}, value > 50 as high, count(*) from ${metricOf(asked)} where ${during(asked)} group by t, high`,
      reach: reach.byHourAndHeight,
    }),
  ];
}

function byHourAndHost(stock: Stock, hours: number): Question {
  return statement(stock, {
    name: `all hosts, ${String(hours)} h by hour and host`,
    extent: { lengthMs: hours * hourMs },
    text: (asked) =>
      `select tag.host, ${hour}, avg(value) from ${metricOf(asked)} where ${during(asked)} group by tag.host, t`,
    inWords: (words, asked) => words.averageByHost(asked, hourMs),
    reach: hours === 12 ? reach.byHourAndHost : reach.fleetByHour,
  });
}

function above(stock: Stock, hours: number): Question {
  return statement(stock, {
    name: `rows above 90, all hosts, ${String(hours)} h`,
    extent: { lengthMs: hours * hourMs },
    text: (asked) =>
      `select time, tag.host, value from ${metricOf(asked)} where value > 90 and ${during(asked)}`,
    inWords: (words, asked) => words.rowsAbove(asked, 90),
    reach: hours === 12 ? reach.above : reach.fleetAbove,
  });
}

/** The last values of all hosts except two. */
function lastOfEvery(stock: Stock, of: string, wanted: QuestionReach): Question {
  return statement(stock, {
    name: `last value of ${of}`,
    extent: { hosts: 2, lengthMs: stock.hours * hourMs },
    text: (asked) =>
      `select metric, tag.host, last(value) from cpu.* where not (${among(asked)}) group by metric, tag.host`,
    inWords: (words, asked) => words.lastValues(asked),
    reach: wanted,
  });
}

function longTexts(stock: Stock): readonly Question[] {
  return [
    statement(stock, {
      name: '2,400 times left out in 64 KiB',
      extent: { lengthMs: hourMs },
      text: (asked) =>
        `select max(value) from ${metricOf(asked)}{host=${hostOf(asked)}} where ${during(asked)} ${leftOut(asked.end)}`,
      reach: reach.timesLeftOut,
    }),
    statement(stock, {
      name: 'a list of 6,000 hosts, most unknown',
      extent: { hosts: 8, lengthMs: hourMs },
      text: (asked) =>
        `select max(value) from ${metricOf(asked)} where ${during(asked)} and tag.host in (${quoted(asked.hosts)}, ${strangers})`,
      reach: reach.longList,
    }),
  ];
}

/** Questions for 4,000 hosts with more than six hours. */
export function fleetStatements(stock: Stock): readonly Question[] {
  const series = `${(stock.hosts * metrics.length).toLocaleString('en')} series`;
  return [
    byHourAndHost(stock, 6),
    above(stock, 6),
    lastOfEvery(stock, series, reach.fleetLast),
    hourly(stock, 6),
    newestFive(stock, reach.fleetNewestFive),
    statement(stock, {
      name: 'hosts by a pattern, 6 h by hour',
      extent: { lengthMs: 6 * hourMs },
      text: (asked) =>
        `select tag.host, ${hour}, avg(value) from ${metricOf(asked)} where tag.host =~ '_1..$' and ${during(asked)} group by tag.host, t`,
      reach: reach.fleetPattern,
    }),
  ].map((one) => ({ ...one, name: one.name.replace('query', 'fleet') }));
}

/** The series of one host, each time of another metric. The stock has one day more than `days`. */
export function yearStatements(days: number): readonly Question[] {
  const stock = { hosts: 1, hours: (days + 1) * 24 };
  const by = (name: string, width: string, wanted: QuestionReach): Question =>
    statement(stock, {
      name: `one series, ${String(days)} days by ${name}`,
      extent: { lengthMs: days * dayMs },
      text: (asked) =>
        `select time_bucket(${width}, time) as t, avg(value), max(value) from ${metricOf(asked)} where ${during(asked)} group by t`,
      reach: wanted,
    });
  return [by('day', '1d', reach.yearByDay), by('hour', '1h', reach.yearByHour)];
}

/** All series except one host's, for 30 days of 31. */
export function monthStatements(hosts: number): readonly Question[] {
  return [
    statement(
      { hosts, hours: 31 * 24 },
      {
        name: `${String(hosts * metrics.length)} series, 30 days by day and host`,
        extent: { lengthMs: 30 * dayMs },
        text: (asked) =>
          `select metric, tag.host, time_bucket(1d, time) as t, avg(value) from cpu.* where tag.host != ${hostOf(asked)} and ${during(asked)} group by metric, tag.host, t`,
        reach: reach.monthByDay,
      },
    ),
  ];
}

/** Of all series, so that a row of an hour has thousands of samples and a run of a minute six. */
export function varianceStatements(stock: Stock): readonly Question[] {
  const by = (name: string, bucket: string): Question =>
    statement(stock, {
      name: `variance of all hosts, ${name}`,
      extent: { lengthMs: (stock.hours - 1) * hourMs },
      text: (asked) =>
        bucket === ''
          ? `select variance(value) from cpu.* where ${during(asked)}`
          : `select ${bucket}, variance(value) from cpu.* where ${during(asked)} group by t`,
    });
  return [by('one row', ''), by('by hour', hour), by('by minute', minute)];
}

const metricOf = ({ metrics: [name = ''] }: Draw): string => `cpu.${name}`;
const hostOf = ({ hosts: [name = ''] }: Draw): string => `'${name}'`;
const quoted = (names: readonly string[]): string => names.map((name) => `'${name}'`).join(', ');
const among = ({ hosts }: Draw): string => `tag.host in (${quoted(hosts)})`;
const during = ({ start, end }: Draw): string =>
  `time >= ${String(start)} and time < ${String(end)}`;

/** Conditions on times; most of the times have no sample. */
function leftOut(end: number): string {
  return Array.from({ length: 2400 }, (_, at) => `and time != ${String(end - 7 - at * 1000)}`).join(
    ' ',
  );
}

/** None of these hosts exists. */
const strangers = Array.from({ length: 6000 }, (_, at) => `'h_${String(at)}'`).join(',');
