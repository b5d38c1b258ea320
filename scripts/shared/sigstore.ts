// Sigstore bundles, as `cosign sign-blob` and GitHub's actions/attest write them, checked by @sigstore/verify. Nothing is
// asked of a server: what is trusted stands in the list of signers.
import { createRequire } from 'node:module';
import { CommandError } from '../command/command.ts';
import { optionalPackage } from '../command/optional-package.ts';
import { sha256 } from '../contract/canonical.ts';
import { parsedJson } from '../contract/parsed-json.ts';
import { isObject } from '../contract/types.ts';
import { readRegular } from '../servers/read.ts';
import { quoteText } from '../text/quote.ts';
import { visible } from '../text/visible.ts';
import { LARGEST_SIGNERS } from './kept.ts';
import type { Signed } from './signature.ts';

/** The parts of Sigstore's packages that are used here. */
interface Bundle {
  content:
    | { $case: 'messageSignature' }
    | { $case: 'dsseEnvelope'; dsseEnvelope: { payload: Uint8Array; payloadType: string } };
}
interface Root {
  tlogs: unknown[];
  ctlogs: unknown[];
}
interface Verify {
  toTrustMaterial(root: Root): unknown;
  toSignedEntity(bundle: Bundle, artifact?: Buffer): unknown;
  Verifier: new (
    trusted: unknown,
    thresholds: { tlogThreshold: number; ctlogThreshold: number; timestampThreshold: number },
  ) => {
    verify(entity: unknown): { identity?: { subjectAlternativeName?: string; extensions?: { issuer?: string } } };
  };
}

/** Who may sign: the certificate's identity and who vouched for it, and from when until when, in ms since 1970. */
interface SigstoreSigner {
  identity: string;
  issuer: string;
  after: number;
  before: number;
}

interface Signers {
  signers: SigstoreSigner[];
  /** Trusted roots of Sigstore, as JSON. */
  roots: object[];
}

/** What an attestation may say of the file: that it was made by this signer. Others may say that it is bad. */
const PREDICATE = 'https://slsa.dev/provenance/v1';
const STATEMENT = 'https://in-toto.io/Statement/v1';
const PAYLOAD = 'application/vnd.in-toto+json';
const ROOT = /^application\/vnd\.dev\.sigstore\.trustedroot/;

const timeIn = (value: unknown, absent: number): number =>
  value === undefined ? absent : typeof value === 'string' ? Date.parse(value) : Number.NaN;

/** The list of signers: JSON, one object a line. A signer, or one of Sigstore's trusted roots. */
const signersIn = (path: string): Signers | { why: string } => {
  const read = readRegular(path, LARGEST_SIGNERS);
  if (read.status !== 'read') return { why: 'the file of allowed signers cannot be read' };
  const found: Signers = { signers: [], roots: [] };
  for (const [index, line] of read.text.split('\n').entries()) {
    if (/^\s*(?:#|$)/.test(line)) continue;
    const odd = { why: `line ${index + 1} of allowedSigners names no identity with its issuer, and no trusted root` };
    const value = parsedJson(line);
    if (value === undefined)
      return found.signers.length + found.roots.length === 0
        ? { why: 'its signature is a Sigstore bundle, and allowedSigners lists none of its signers' }
        : odd;
    if (!isObject(value)) return odd;
    const { mediaType, identity, issuer, validAfter, validBefore, ...rest } = value;
    if (typeof mediaType === 'string' && ROOT.test(mediaType)) {
      found.roots.push(value);
      continue;
    }
    const [after, before] = [timeIn(validAfter, 0), timeIn(validBefore, Number.POSITIVE_INFINITY)];
    const isWhole = [identity, issuer].every((one) => typeof one === 'string' && one !== '');
    if (!isWhole || Number.isNaN(after + before) || Object.keys(rest).length > 0) return odd;
    found.signers.push({ identity: String(identity), issuer: String(issuer), after, before });
  }
  return found;
};

/** Whether an attestation is about exactly this text. */
const isAbout = (payload: Uint8Array, text: string): boolean => {
  const statement: unknown = JSON.parse(Buffer.from(payload).toString('utf8'));
  if (!isObject(statement) || statement._type !== STATEMENT || statement.predicateType !== PREDICATE) return false;
  const subjects = Array.isArray(statement.subject) ? statement.subject : [];
  const digest = sha256(text);
  return subjects.some((one) => isObject(one) && isObject(one.digest) && one.digest.sha256 === digest);
};

/** @throws CommandError if the package is not there */
const loadSigstore = (from = import.meta.url) => {
  const verify: Verify = optionalPackage('@sigstore/verify', from, {
    code: 'no-sigstore',
    what: 'its signature is a Sigstore bundle, which takes',
    without: 'Signatures of SSH do not need it.',
  });
  // What it depends on itself, wherever npm put that.
  const beside = createRequire(createRequire(from).resolve('@sigstore/verify'));
  const { bundleFromJSON }: { bundleFromJSON(value: unknown): Bundle } = beside('@sigstore/bundle');
  const { TrustedRoot }: { TrustedRoot: { fromJSON(value: unknown): Root } } = beside('@sigstore/protobuf-specs');
  return { ...verify, bundleFromJSON, TrustedRoot };
};

const FITS_NOT = 'its signature does not fit it';

/** As `signerOf`. A certificate has to be valid when its log or its time stamp says that it was used, not now. */
export const sigstoreSigner = (text: string, signature: string, path: string, at = Date.now()): Signed => {
  const list = signersIn(path);
  if ('why' in list) return list;
  const whys = new Set<string>();
  try {
    const { bundleFromJSON, TrustedRoot, toSignedEntity, toTrustMaterial, Verifier } = loadSigstore();
    const bundle = bundleFromJSON(JSON.parse(signature));
    const { content } = bundle;
    if (content.$case === 'dsseEnvelope') {
      const { payload, payloadType } = content.dsseEnvelope;
      if (payloadType !== PAYLOAD || !isAbout(payload, text))
        return { why: `${FITS_NOT}: it is no attestation of its provenance (${PREDICATE})` };
    }
    for (const json of list.roots)
      try {
        const root = TrustedRoot.fromJSON(json);
        // Each log that the root knows has to know the signature. That of GitHub for private repositories has none.
        const { identity } = new Verifier(toTrustMaterial(root), {
          tlogThreshold: Math.min(1, root.tlogs.length),
          ctlogThreshold: Math.min(1, root.ctlogs.length),
          timestampThreshold: 1,
        }).verify(toSignedEntity(bundle, Buffer.from(text)));
        const { subjectAlternativeName: name = '', extensions: { issuer = '' } = {} } = identity ?? {};
        const own = list.signers.filter((one) => one.identity === name && one.issuer === issuer);
        if (own.some(({ after, before }) => after <= at && at < before)) return { signer: name };
        const who = `${quoteText(name, 120)} of ${quoteText(issuer, 60)}`;
        whys.add(own.length > 0 ? `its signer is not allowed now: ${who}` : `its signer is not allowed: ${who}`);
      } catch (error) {
        const { code, message } = error as Error & { code?: string };
        whys.add(
          code === 'SIGNATURE_ERROR' ? FITS_NOT : `its signature is not trusted: ${visible(message, { max: 120 })}`,
        );
      }
  } catch (error) {
    if (error instanceof CommandError) return { why: error.message };
    return { why: 'its signature is no Sigstore bundle' };
  }
  return { why: [...whys].join('; ') || 'allowedSigners holds no trusted root of Sigstore' };
};
