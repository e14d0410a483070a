/**
 * What the rows of queries, ranges, new series and starts are to reach, on a machine of two cores
 * that is quiet. The other rows have theirs where they are measured.
 */

/** At most so long and so much CPU of the server, at least so many with eight connections. */
export interface QuestionReach {
  readonly p50Ms: number;
  readonly cpuMs?: number;
  readonly perSecond?: number;
}

export const reach = {
  oneHost: { p50Ms: 0.1, cpuMs: 0.05, perSecond: 20_000 },
  eightHosts: { p50Ms: 0.15, cpuMs: 0.1 },
  fiveMetrics: { p50Ms: 0.35 },
  tenMetricsOfEight: { p50Ms: 0.3 },
  newestFive: { p50Ms: 0.3 },
  rangeOfDay: { p50Ms: 0.15 },
  rangeOfMonth: { p50Ms: 4 },
  byHourAndHost: { p50Ms: 3 },
  lastOfEvery: { p50Ms: 3 },
  above: { p50Ms: 15 },
  byHourAndHeight: { p50Ms: 10 },
  timesLeftOut: { p50Ms: 20 },
  longList: { p50Ms: 20 },
  /** Of 4,000 hosts. */
  fleetByHour: { p50Ms: 12 },
  fleetAbove: { p50Ms: 60 },
  fleetLast: { p50Ms: 8 },
  fleetEightHosts: { p50Ms: 1 },
  fleetNewestFive: { p50Ms: 10 },
  fleetPattern: { p50Ms: 5 },
  promqlOneHost: { p50Ms: 0.15 },
  promqlEightHosts: { p50Ms: 0.2 },
  promqlTenMetrics: { p50Ms: 0.8 },
  promqlFleet: { p50Ms: 20 },
  promqlRate: { p50Ms: 40 },
  /** One series of a year, and a thousand of a month. */
  yearByDay: { p50Ms: 2 },
  yearByHour: { p50Ms: 5 },
  monthByDay: { p50Ms: 15 },
  /** A million of them, of three samples each. */
  newSeries: { cpuSeconds: 5, peakGb: 0.6, bytesASeries: 60, restartSeconds: 0.7 },
  /** Samples a second of the server's CPU: a day of 50 hosts that were not there before. */
  newHosts: { '2-decimal walk': 9e6, doubles: 5e6 },
  startMs: 120,
  smallLinesPerSecond: 400e3,
  /** By how many times two cores, with a listener thread each, answer more than one. */
  secondCore: 1.8,
  /** By how many per cent a million active series may be slower than ten thousand. */
  activeFallPercent: 30,
} as const;
