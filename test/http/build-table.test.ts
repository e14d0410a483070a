/** The access rules of paths, derived from the declarations of the routes alone. */
import { expect } from 'chai';

import { buildTable, type RouteTable } from '../../src/http/route/build-table.js';
import { publicRoute, type RouteContext } from '../../src/http/routes/public-route.js';
import { routeTable } from '../../src/http/route-table.js';
import { adminRoutes } from '../../src/http/admin/route-table.js';
import { isSettingKey } from '../../src/config/settings.js';
import { jsonReply } from '../../src/http/route/reply.js';

import type { Scope } from '../../src/http/route/route.js';

function tableOf(...rows: readonly (readonly [string, Scope, true?])[]): RouteTable<RouteContext> {
  const routes = rows.map(([path, scope, isProbe]) =>
    publicRoute({
      method: 'GET',
      path,
      scope,
      ...(isProbe === undefined ? {} : { isProbe }),
      tag: 'operate',
      summary: '',
      answer: { purpose: '' },
      example: { answer: '' },
      handler: () => jsonReply('1'),
    }),
  );
  return buildTable(routes, { elsewhere: 'open' });
}

describe('the route table', () => {
  it('leaves an unknown path as open as its neighbours', () => {
    const table = tableOf(['/a/x', 'read'], ['/b/x', 'public'], ['/c', 'public']);
    const open = ['/a/', '/a/x/y', '/a/z', '/a', '/a?', '/b/y', '/c/x', '/', '', '*'].map(
      (path) => table.placeOf(path).isOpen,
    );
    expect(open).to.deep.equal([false, false, false, ...Array<boolean>(7).fill(true)]);
  });

  it('accepts any path segment for a parameter, except an empty one', () => {
    const table = tableOf(['/a/{id}', 'read'], ['/a/{name}/values', 'read'], ['/a/x', 'read']);
    const found = (path: string) => {
      const { path: declared, parameter } = table.placeOf(path);
      return parameter === null ? [declared] : [declared, parameter.name, parameter.index];
    };
    expect(found('/a/1')).to.deep.equal(['/a/{id}', 'id', 2]);
    expect(found('/a/x')).to.deep.equal(['/a/x']);
    expect(found('/a/x/values')).to.deep.equal(['/a/{name}/values', 'name', 2]);
    expect(found('/a/%2F/values')).to.deep.equal(['/a/{name}/values', 'name', 2]);
    for (const path of ['/a/', '/a//values', '/a/x/values/', '/a/x/other', '/a/x/y/values', '/a']) {
      expect(found(path), path).to.deep.equal(['none']);
    }
    expect(() => tableOf(['/a/{id}', 'read'], ['/a/{name}', 'read'])).to.throw('are the same');
  });

  it('protects an unknown path beside a guarded one', () => {
    for (const scopes of [['read', 'public'] as const, ['public', 'read'] as const]) {
      const table = tableOf(['/a/x', scopes[0]], ['/a/y', scopes[1]]);
      expect(table.placeOf('/a/z').isOpen).to.equal(false);
    }
    expect(tableOf(['/a/x', 'status']).placeOf('/a/z').isOpen).to.equal(true);
  });

  it('rejects a duplicate route', () => {
    expect(() => tableOf(['/a/x', 'read'], ['/a/y', 'write'])).to.not.throw();
    expect(() => tableOf(['/a', 'token'], ['/a', 'token'])).to.throw('declared twice');
    expect(() => tableOf(['/a', 'token'], ['/b', 'public'])).to.not.throw();
  });

  it('matches a final parameter after the literal paths', () => {
    const table = tableOf(['/a/{id}', 'read'], ['/a/all', 'read'], ['/a', 'public']);
    const found = (path: string) => {
      const { path: declared, parameter, isOpen } = table.placeOf(path);
      return `${declared} ${String(parameter?.name ?? null)} ${String(isOpen)}`;
    };
    expect(found('/a/7')).to.equal('/a/{id} id false');
    expect(found('/a/%2F')).to.equal('/a/{id} id false');
    expect(found('/a/all')).to.equal('/a/all null false');
    expect(found('/a')).to.equal('/a null true');
    for (const path of ['/a/', '/a/7/', '/a/7/8']) expect(found(path)).to.equal('none null false');
    expect(() => tableOf(['/a/{id}', 'read'], ['/a/{name}', 'read'])).to.throw('are the same');
  });

  it('requires a token under /api/ and for other protocols, and on every admin route', () => {
    for (const { path, scope } of routeTable.routes) {
      const elsewhere = ['/write', '/query', '/v1/metrics', '/debug/compat/catalog'];
      const isGuarded = path.startsWith('/api/') || elsewhere.includes(path);
      expect(scope !== 'public' && scope !== 'status', path).to.equal(isGuarded);
    }
    for (const path of ['/api/', '/api/nothing', '/api//', '/api/v2/ingest']) {
      expect(routeTable.placeOf(path).isOpen, path).to.equal(false);
    }
    for (const path of ['/', '/api', '/apix/', '/nothing', '//api/v1/ingest']) {
      expect(routeTable.placeOf(path).isOpen, path).to.equal(true);
    }
    for (const path of ['/', '/healthz', '/api/v1/ingest', '/__admin/status', '/__admin/x']) {
      expect(adminRoutes.placeOf(path).isOpen, path).to.equal(false);
    }
    for (const { path, scope } of adminRoutes.routes) expect(scope, path).to.equal('admin');
  });

  it('names the setting of each limit whose error a route documents', () => {
    const limitOf = {
      line_too_long: 'max_line_bytes',
      series_limit: 'max_series',
      ingest_backpressure: 'memory_limit_bytes',
      query_limit_exceeded: 'memory_limit_bytes',
    };
    for (const { path, body, timeSetting, limits = [], errors = [] } of [
      ...routeTable.routes,
      ...adminRoutes.routes,
    ]) {
      const ofBody = body?.kind === 'stream' ? [body.sizeSetting] : [];
      const ofTime = timeSetting === null ? [] : [timeSetting];
      for (const key of [...limits, ...ofBody, ...ofTime]) {
        expect(isSettingKey(key), `${path}: ${key}`).to.equal(true);
      }
      for (const [code, key] of Object.entries(limitOf)) {
        const isNamed = limits.includes(key);
        if (errors.some((one) => one === code)) expect(isNamed, `${path}: ${key}`).to.equal(true);
      }
    }
  });

  it('has two probes, the only routes open to pages of any site', () => {
    const probes = routeTable.routes.filter(({ isProbe }) => isProbe === true);
    expect(probes.map(({ path }) => path)).to.deep.equal(['/healthz', '/readyz']);
    expect(adminRoutes.routes.filter(({ isProbe }) => isProbe === true)).to.deep.equal([]);
  });
});
