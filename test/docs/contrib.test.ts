/** The files of contrib/: each metric they name is told by the server, and programs take them. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { assert } from 'chai';

import { isSettingKey, settingRows } from '../../src/config/settings.js';
import { serverMetrics } from '../../src/operations/metrics.js';
import * as figures from '../../src/telemetry/metric-names.js';
import { processMetrics } from '../../src/telemetry/process-metrics.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

const alerts = 'contrib/prometheus/alerts.yml';
const dashboard = 'contrib/grafana/seriesdb.json';
const unit = 'contrib/systemd/seriesdb.service';

/** Every name that `/metrics` may have, those of parts of histograms among them. */
function namesOfMetrics(): ReadonlySet<string> {
  const { kMetricPrefix, compatibilityMetrics, runtimeMetrics, memoryMetrics } = figures;
  const { engineMetrics, bucketMetrics } = figures;
  const plain = {
    ...{ ...compatibilityMetrics, ...runtimeMetrics, ...memoryMetrics },
    ...{ ...engineMetrics, ...bucketMetrics },
  };
  const families = Object.entries(serverMetrics).flatMap(([name, { type }]) =>
    type === 'histogram' ? ['_bucket', '_sum', '_count'].map((part) => name + part) : [name],
  );
  const ours = [...Object.keys(plain), ...families].map((name) => kMetricPrefix + name);
  return new Set([...ours, ...Object.keys(processMetrics)]);
}

/** Metrics stand alone or before braces, in expressions and in questions for labels. */
function namedIn(text: string): readonly string[] {
  return [...text.matchAll(/\b(?:seriesdb|process|nodejs)_[a-z_]+\b/g)].map(([name]) => name);
}

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: {
    readonly x: number;
    readonly y: number;
    readonly w: number;
    readonly h: number;
  };
  readonly targets?: readonly { readonly expr: string }[];
}

const panelsOf = (): readonly Panel[] =>
  (JSON.parse(read(dashboard)) as { readonly panels: readonly Panel[] }).panels;

/** Runs it where it is there. */
function passes(program: string, args: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: root, encoding: 'utf8' });
  assert.strictEqual(status, 0, `${stdout}${stderr}`);
}

/** Where the program is not there, the test is passed over. */
function itWith(program: string): (title: string, body: () => void) => void {
  return spawnSync(program, ['--version']).status === 0 ? it : it.skip;
}

describe('the files of contrib', function () {
  this.timeout(60_000);

  for (const file of [alerts, dashboard]) {
    it(`${file} names no metric that the server has not`, () => {
      const known = namesOfMetrics();
      const named = namedIn(read(file));
      assert.isAtLeast(named.length, 10);
      assert.deepEqual(
        named.filter((name) => !known.has(name)),
        [],
      );
    });
  }

  it('every sign that the documents watch has an alert', () => {
    const rules = read(alerts);
    const signs = [...read('docs/observability.md').matchAll(/^\| .* \| `([^`]+)` \|$/gm)]
      .map(([, expression = '']) => expression.replace(/^seriesdb_up == 0.*/, 'seriesdb_up == 0'))
      .filter((expression) => / (?:>|==) /.test(expression));
    assert.isAtLeast(signs.length, 7);
    for (const sign of signs) assert.include(rules, `expr: ${sign}\n`);
  });

  it('every alert has a line that says what to do', () => {
    const names = [...read(alerts).matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name);
    const page = read('docs/operations.md');
    const part = page.slice(page.indexOf('## When something is wrong'));
    const told = [...part.matchAll(/^\| (Seriesdb[\w, ]+) \|/gm)].flatMap(([, cell = '']) =>
      cell.split(', '),
    );
    assert.sameMembers(told, names);
  });

  it('the dashboard has panels that ask something, each in a place of its own', () => {
    const panels = panelsOf();
    assert.strictEqual(new Set(panels.map(({ id }) => id)).size, panels.length);
    const taken = new Set<string>();
    for (const { type, title, gridPos, targets = [] } of panels) {
      if (type !== 'row') assert.isAtLeast(targets.length, 1, title);
      assert.isAtMost(gridPos.x + gridPos.w, 24, title);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
          assert.isFalse(taken.has(`${x},${y}`), `${title} lies over another panel`);
          taken.add(`${x},${y}`);
        }
      }
    }
  });

  itWith('promtool')('Prometheus takes the alerts, and they fire when they shall', () => {
    passes('promtool', ['check', 'rules', alerts]);
    passes('promtool', ['test', 'rules', 'contrib/prometheus/alerts.test.yml']);
  });

  itWith('promtool')('Prometheus takes every expression of the dashboard', () => {
    const expressions = panelsOf().flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
    const rules = expressions.map((expr, at) => {
      const text = expr.replaceAll('$__rate_interval', '5m').replaceAll('$instance', 'a');
      return `      - record: panel_${at}\n        expr: ${JSON.stringify(text)}\n`;
    });
    const folder = mkdtempSync(path.join(os.tmpdir(), 'seriesdb-rules-'));
    const file = path.join(folder, 'rules.yml');
    writeFileSync(file, `groups:\n  - name: panels\n    rules:\n${rules.join('')}`);
    passes('promtool', ['check', 'rules', file]);
    rmSync(folder, { recursive: true });
  });

  itWith('systemd-analyze')('systemd takes the unit', () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'seriesdb-unit-'));
    const file = path.join(folder, 'seriesdb.service');
    // Replaces the program, which is not installed here.
    writeFileSync(file, read(unit).replace('/usr/local/bin/seriesdb', process.execPath));
    passes('systemd-analyze', ['verify', '--man=no', file]);
    rmSync(folder, { recursive: true });
  });

  it("the unit's memory limit follows from memory_limit_bytes", () => {
    const [, gib = ''] = /^MemoryMax=([\d.]+)G$/m.exec(read(unit)) ?? [];
    const limit = Number(settingRows.memory_limit_bytes.fallback);
    assert.strictEqual(Number(gib) * 1024 ** 3, limit * 1.5 + 512 * 1024 ** 2);
  });

  it('the image uses existing files and settings, and does not run as root', () => {
    const text = read('contrib/Dockerfile');
    const settings = [...text.matchAll(/\bSERIESDB_([A-Z_]+)=/g)].map(([, name = '']) => name);
    assert.isAtLeast(settings.length, 2);
    assert.isTrue(settings.every((name) => isSettingKey(name.toLowerCase())));
    const users = [...text.matchAll(/^USER (\S+)$/gm)].map(([, user]) => user);
    assert.deepEqual(users, ['10001:10001']);
    const stages = [...text.matchAll(/^FROM \S+ AS (\S+)$/gm)].map(([, name]) => name);
    const copied = [...text.matchAll(/^COPY --from=(\S+) /gm)].map(([, name]) => name);
    assert.deepEqual(copied, stages);
    const ignored = read('contrib/Dockerfile.dockerignore').trim().split('\n');
    assert.includeMembers(ignored, ['.git', 'build', 'dist', 'node_modules']);
    assert.isTrue(existsSync(path.join(root, 'contrib/Dockerfile')));
  });
});
