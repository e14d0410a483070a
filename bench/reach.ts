/**
 * Targets of queries, ranges, new series and starts, on a quiet machine with two cores. The other
 * rows have their targets where they are measured.
 */

/** The longest time and CPU time of the server, and the least rate with eight connections. */
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
  /** Queries over 4,000 hosts. */
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
  /** One series of a year, and a thousand series of a month. */
  yearByDay: { p50Ms: 2 },
  yearByHour: { p50Ms: 5 },
  monthByDay: { p50Ms: 15 },
  /** A million new series with three samples each. */
  newSeries: { cpuSeconds: 5, peakGb: 0.6, bytesASeries: 60, restartSeconds: 0.7 },
  /** Samples per second of the server's CPU time: a day of 50 new hosts. */
  newHosts: { '2-decimal walk': 9e6, doubles: 5e6 },
  startMs: 120,
  smallLinesPerSecond: 400e3,
  /** The factor by which two cores, with a listener thread each, answer more than one core. */
  secondCore: 1.8,
  /** The slowdown in per cent of a million active series against ten thousand. */
  activeFallPercent: 30,
} as const;
