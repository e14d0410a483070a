import { expect } from 'chai';

import { AppError } from '../../src/common/errors/app-error.js';
import { LiveSettings } from '../../src/config/live-settings.js';
import { resolveSettings } from '../../src/config/resolve.js';

const settle = (values: Record<string, unknown>) =>
  resolveSettings({ file: new Map(Object.entries(values)) });

/** Settings whose file a test replaces. */
function liveFrom(first: Record<string, unknown>) {
  let file = first;
  const live = new LiveSettings({ resolved: settle(first), resolveAgain: () => settle(file) });
  return {
    live,
    write: (next: Record<string, unknown>) => {
      file = next;
    },
  };
}

const accept = (): Promise<void> => Promise.resolve();

const failureOf = (reloading: Promise<unknown>): Promise<unknown> =>
  reloading.then(
    () => null,
    (error: unknown) => error,
  );

describe('settings in force', () => {
  it('change as a whole, with their sources', async () => {
    const { live, write } = liveFrom({ auth_token: 'one', slow_request_ms: 5 });
    write({ auth_token: 'two', log_level: 'warn' });
    expect(await live.reload(accept)).to.deep.equal({
      changed: ['auth_token', 'log_level', 'slow_request_ms'],
      restartRequired: [],
    });
    const { settings, sources } = live.resolved;
    expect([settings.auth_token, settings.log_level]).to.deep.equal(['two', 'warn']);
    expect([settings.slow_request_ms, sources.slow_request_ms]).to.deep.equal([1000, 'default']);
    expect(await live.reload(accept)).to.deep.equal({ changed: [], restartRequired: [] });
  });

  it('keep value and source if only a restart can change them', async () => {
    const { live, write } = liveFrom({ data_dir: 'a' });
    write({ fsync: 'none', log_level: 'warn' });
    const report = await live.reload((next) => {
      expect([next.data_dir, next.fsync, next.log_level]).to.deep.equal(['a', 'always', 'warn']);
      return Promise.resolve();
    });
    expect(report.restartRequired).to.deep.equal(['data_dir', 'fsync']);
    expect(live.restartRequired).to.deep.equal(['data_dir', 'fsync']);
    expect([live.resolved.sources.data_dir, live.resolved.sources.fsync]).to.deep.equal([
      'file',
      'default',
    ]);
    write({ data_dir: 'a' });
    await live.reload(accept);
    expect(live.restartRequired).to.deep.equal([]);
  });

  it('let certificates be exchanged, but TLS be switched only by a restart', async () => {
    const { live, write } = liveFrom({ tls_cert: 'a', tls_key: 'b' });
    write({ tls_cert: 'c', tls_key: 'b' });
    expect((await live.reload(accept)).changed).to.deep.equal(['tls_cert']);
    write({});
    expect((await live.reload(accept)).restartRequired).to.deep.equal(['tls_cert', 'tls_key']);
    expect(live.resolved.settings.tls_cert).to.equal('c');
  });

  it('do not change if the new ones are invalid, or cannot be applied', async () => {
    const { live, write } = liveFrom({ auth_token: 'one' });
    write({ auth_token: '' });
    expect(String(await failureOf(live.reload(accept)))).to.match(/auth_token must not be empty/);
    write({ auth_token: 'two', fsync: 'none' });
    const refusal = new AppError('invalid_configuration', 'refused');
    expect(await failureOf(live.reload(() => Promise.reject(refusal)))).to.equal(refusal);
    expect(live.resolved.settings.auth_token).to.equal('one');
    expect(live.restartRequired).to.deep.equal([]);
  });

  it('cannot be reloaded without a reader', async () => {
    const live = new LiveSettings({ resolved: settle({}), resolveAgain: null });
    const failure = await failureOf(live.reload(accept));
    expect(failure).to.be.instanceOf(AppError);
    expect(failure).to.include({ status: 503, code: 'reload_unavailable' });
  });
});
