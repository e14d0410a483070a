/** Reads stored samples back, for tests of protocols. */

import { Client, maximumTs, minimumTs, parseSamples } from '../../support/client.js';

/** Times and values of one series. */
export async function pointsOf(
  port: number,
  metric: string,
  labels: Readonly<Record<string, string>>,
  token?: string,
): Promise<readonly (readonly [bigint, number | null])[]> {
  const client = new Client(port);
  const asked = {
    ...{ metric, labels: JSON.stringify(labels) },
    ...{ start: String(minimumTs), end: String(maximumTs) },
  };
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const target = `/api/v1/query/range?${new URLSearchParams(asked).toString()}`;
  const { status, body } = await client.request('GET', target, { headers });
  client.close();
  if (status === 404) return [];
  return parseSamples(body).map(({ ts, value }) => [ts, value] as const);
}
