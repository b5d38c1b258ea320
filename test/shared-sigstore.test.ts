// Shared approvals that are signed with Sigstore: bundles as cosign and GitHub write them, proven without a network.
import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { optionalPackage } from '../scripts/command/optional-package.ts';
import { signerOf } from '../scripts/shared/signature.ts';
import { remove } from '../scripts/state/in-use.ts';
import { FETCH, RENAMED, SEARCH, workbench } from './lock-bench.ts';
import { aboutShared, ageShared, approvedAt, company, untilFetched, whyNoKeys } from './shared-bench.ts';
import { IDENTITY, ISSUER, signersList, startSigstore } from './sigstore-bench.ts';

const TEXT = '{"the": "lockfile", "größe": 1}\n';
const SIGNER = { identity: IDENTITY, issuer: ISSUER };

const world = async (test: TestContext) => {
  const folder = mkdtempSync(join(tmpdir(), 'konnichiwagwan-sigstore-'));
  test.after(() => remove(folder));
  const sigstore = await startSigstore();
  const list = join(folder, 'signers');
  const allow = (...lines: object[]): void => writeFileSync(list, signersList(...lines));
  allow(SIGNER, sigstore.trustedRoot);
  const whyOf = (text: string, bundle: string, at?: number): string => {
    const found = signerOf(text, bundle, list, at);
    return 'why' in found ? found.why : `signed by ${found.signer}`;
  };
  return { ...sigstore, list, allow, whyOf };
};

describe('a Sigstore bundle', () => {
  it('proves who signed, in the forms of cosign and of GitHub', async (test) => {
    const { signed, attested, whyOf, allow, trustedRoot } = await world(test);
    const bundles = [await signed(TEXT), await attested(TEXT)];
    for (const bundle of bundles) assert.equal(whyOf(TEXT, bundle), `signed by ${IDENTITY}`);
    // Of several roots, one has to know it.
    const other = await startSigstore();
    allow(other.trustedRoot, { ...SIGNER, identity: 'b' }, SIGNER, trustedRoot);
    for (const bundle of bundles) assert.equal(whyOf(TEXT, bundle), `signed by ${IDENTITY}`);
  });

  it('does not count for another text', async (test) => {
    const { signed, attested, whyOf } = await world(test);
    assert.equal(whyOf(`${TEXT} `, await signed(TEXT)), 'its signature does not fit it');
    assert.match(whyOf(`${TEXT} `, await attested(TEXT)), /^its signature does not fit it: /);
    const bundle = JSON.parse(await attested(TEXT));
    const { payload } = JSON.parse(await attested(`${TEXT} `)).dsseEnvelope;
    const moved = { ...bundle, dsseEnvelope: { ...bundle.dsseEnvelope, payload } };
    assert.match(whyOf(`${TEXT} `, JSON.stringify(moved)), /does not fit it|is not trusted/);
  });

  it('does not count as an attestation of anything but where the file comes from', async (test) => {
    const { attested, whyOf } = await world(test);
    const failed = await attested(TEXT, { predicateType: 'https://in-toto.io/attestation/test-result/v0.1' });
    assert.match(whyOf(TEXT, failed), /it is no attestation of its provenance/);
  });

  it('does not count of another signer, or one for whom another issuer vouches', async (test) => {
    const { signed, whyOf } = await world(test);
    const branch = IDENTITY.replace('main', 'mainly');
    assert.match(whyOf(TEXT, await signed(TEXT, { identity: branch })), /its signer is not allowed: ".*mainly" of "/);
    assert.match(
      whyOf(TEXT, await signed(TEXT, { issuer: 'https://evil.example' })),
      /is not allowed: .*evil\.example/,
    );
  });

  it('does not count where its certificate had expired, or its signer has', async (test) => {
    const { signed, whyOf, allow, trustedRoot } = await world(test);
    const old = await signed(TEXT, { issued: new Date(Date.now() - 3_600_000) });
    assert.match(whyOf(TEXT, old), /is not trusted: Failed to verify certificate chain/);
    allow({ ...SIGNER, validAfter: '2026-01-01', validBefore: '2026-02-01T00:00:00Z' }, trustedRoot);
    const bundle = await signed(TEXT);
    assert.match(whyOf(TEXT, bundle, Date.parse('2026-02-01')), /its signer is not allowed now: /);
    assert.match(whyOf(TEXT, bundle, Date.parse('2025-12-31')), /its signer is not allowed now: /);
    assert.equal(whyOf(TEXT, bundle, Date.parse('2026-01-31')), `signed by ${IDENTITY}`);
  });

  it('does not count without a log, or of an authority that the list does not hold', async (test) => {
    const { signed, whyOf, allow } = await world(test);
    assert.match(whyOf(TEXT, await signed(TEXT, { logged: false })), /is not trusted: expected 1 timestamps, got 0/);
    const bundle = await signed(TEXT);
    allow(SIGNER, (await startSigstore()).trustedRoot);
    assert.match(whyOf(TEXT, bundle), /its signature is not trusted: /);
    allow(SIGNER);
    assert.equal(whyOf(TEXT, bundle), 'allowedSigners holds no trusted root of Sigstore');
  });

  it('does not count with a certificate that is in no log, unless the authority keeps none', async (test) => {
    const { signed, whyOf, allow, trustedRoot } = await world(test);
    const bundle = await signed(TEXT, { certified: false });
    assert.match(whyOf(TEXT, bundle), /is not trusted: expected 1 SCTs, got 0/);
    allow(SIGNER, { ...trustedRoot, ctlogs: [] });
    assert.equal(whyOf(TEXT, bundle), `signed by ${IDENTITY}`);
  });

  it('does not count where it is none, or the list is not for it', async (test) => {
    const { signed, whyOf, list } = await world(test);
    for (const text of ['{', '{}', '{"mediaType": "application/vnd.dev.sigstore.bundle.v0.3+json"}'])
      assert.equal(whyOf(TEXT, text), 'its signature is no Sigstore bundle', text);
    const bundle = await signed(TEXT);
    writeFileSync(list, 'security@example.org ssh-ed25519 AAAA\n');
    assert.match(whyOf(TEXT, bundle), /is a Sigstore bundle, and allowedSigners lists none of its signers/);
    for (const line of [
      { identity: IDENTITY },
      { ...SIGNER, validBefore: 'soon' },
      { ...SIGNER, validbefore: '2026-01-01' },
    ]) {
      writeFileSync(list, `# ours\n${signersList(line)}`);
      assert.match(whyOf(TEXT, bundle), /^line 2 of allowedSigners names no identity with its issuer/);
    }
  });

  it('takes a package, whose absence is said with the command that mends it', (test) => {
    const folder = mkdtempSync(join(tmpdir(), 'konnichiwagwan-sigstore-'));
    test.after(() => remove(folder));
    const from = pathToFileURL(join(folder, 'session-start.cjs')).href;
    assert.throws(() => optionalPackage('@sigstore/verify', from, { code: 'x', what: 'This takes', without: '' }), {
      message:
        /^This takes the package @sigstore\/verify, which is not installed here\. Run: npm install .*@sigstore\/verify@\d/,
    });
  });
});

describe('shared approvals with Sigstore bundles', { skip: whyNoKeys }, () => {
  it('approve, and keep the last good copy where a bundle does not count', async (test) => {
    const SERVER = 'GATEWAY_URL';
    const firm = await company(test);
    const { signed, attested, trustedRoot } = await startSigstore();
    writeFileSync(firm.allowedSigners, signersList(SIGNER, trustedRoot));
    const first = firm.publish(approvedAt('2026-05-01T08:00:00.000Z', SERVER, [RENAMED, FETCH]), null);
    firm.publish(first, await attested(first));
    const bench = await workbench(test, [SEARCH, FETCH], { freshFor: 0, approvals: firm.approvals });
    await bench.pinned();
    bench.release([RENAMED, FETCH]);
    await bench.start({ session_id: 's1' });
    await untilFetched(bench.state);
    assert.equal(aboutShared(bench.state).copy.signer, IDENTITY);
    const call = async () => (await bench.call('search', { q: 'x' })).answer;
    assert.equal(await call(), undefined);
    const next = firm.publish(approvedAt('2026-05-02T08:00:00.000Z', SERVER, [SEARCH]), null);
    firm.publish(next, await signed(first));
    ageShared(bench.state, 3_600_001);
    const shared = async () => {
      const { data } = await bench.envelope(['doctor']);
      return data.checks.find(({ name }: { name: string }) => name === 'shared approvals').detail;
    };
    assert.match(await shared(), /its signature does not fit it; 2 tools of 1 server, signed by "https:\/\/github/);
    assert.equal(await call(), undefined);
    // Proven again by another list, and dropped where its signer is no longer in it.
    writeFileSync(firm.allowedSigners, signersList({ ...SIGNER, identity: 'b' }, SIGNER, trustedRoot));
    assert.match(await shared(), /signed by "https:\/\/github/);
    writeFileSync(firm.allowedSigners, signersList({ ...SIGNER, identity: 'b' }, trustedRoot));
    assert.match(await shared(), /no good copy: nothing is approved by them/);
  });
});
