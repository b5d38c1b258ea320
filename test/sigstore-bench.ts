// Sigstore on this machine: an authority, a log of certificates and a log of signatures, made for one test.
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { initializeCA, initializeCTLog, initializeTLog } from '@sigstore/mock';

export const IDENTITY = 'https://github.com/acme/contracts/.github/workflows/publish.yml@refs/heads/main';
export const ISSUER = 'https://token.actions.githubusercontent.com';

const pair = () => generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
const digest = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest();
const base64 = (data: Buffer | string): string => Buffer.from(data).toString('base64');
const pem = (key: KeyObject): string => key.export({ format: 'pem', type: 'spki' }).toString();

/** What differs from a good signature. */
interface Odd {
  identity?: string;
  issuer?: string;
  /** When the certificate was issued; it is good for ten minutes. */
  issued?: Date;
  /** False: the signature stands in no log. */
  logged?: boolean;
  /** False: the certificate stands in no log. */
  certified?: boolean;
}

/** What the log answers; the package that describes it is not installed. */
interface Logged {
  logIndex: number;
  integratedTime: number;
  body: string;
  verification: { signedEntryTimestamp: string; inclusionProof: { rootHash: string; checkpoint: string } };
}

export const startSigstore = async () => {
  const [authority, certificates, signatures] = [pair(), pair(), pair()];
  const { rootCertificate } = await initializeCA(authority);
  // After the root: it is good from the second in which it was made, and nothing may be signed before.
  const clock = new Date();
  const ctLog = await initializeCTLog(certificates, clock);
  const tlog = await initializeTLog('https://log.example', signatures, clock);
  const certificateFor = async (key: KeyObject, odd: Odd) => {
    const { identity = IDENTITY, issuer = ISSUER, issued = clock, certified = true } = odd;
    const ca = await initializeCA(authority, certified ? ctLog : undefined, issued);
    return ca.issueCertificate({
      publicKey: key.export({ format: 'der', type: 'spki' }),
      subjectAltName: identity,
      extensions: [{ oid: '1.3.6.1.4.1.57264.1.8', value: issuer }],
    });
  };
  const validFor = { start: '2020-01-01T00:00:00Z' };
  const logOf = (publicKey: Buffer, keyId: Buffer) => ({
    baseUrl: 'https://log.example',
    hashAlgorithm: 'SHA2_256',
    publicKey: { rawBytes: base64(publicKey), keyDetails: 'PKIX_ECDSA_P256_SHA_256', validFor },
    logId: { keyId: base64(keyId) },
  });
  const trustedRoot = {
    mediaType: 'application/vnd.dev.sigstore.trustedroot+json;version=0.1',
    tlogs: [logOf(tlog.publicKey, digest(tlog.publicKey))],
    certificateAuthorities: [
      { certChain: { certificates: [{ rawBytes: base64(Buffer.from(rootCertificate.buffer)) }] }, validFor },
    ],
    ctlogs: [logOf(ctLog.publicKey, Buffer.from(ctLog.logID.buffer))],
    timestampAuthorities: [],
  };
  const material = async (certificate: Buffer, kind: string, spec: object, { logged = true }: Odd) => {
    const [entry] = Object.values((await tlog.log({ apiVersion: '0.0.1', kind, spec })) as Record<string, Logged>);
    const proof = entry?.verification.inclusionProof;
    const entries = [
      {
        logIndex: String(entry?.logIndex),
        logId: { keyId: base64(digest(tlog.publicKey)) },
        kindVersion: { kind, version: '0.0.1' },
        integratedTime: String(entry?.integratedTime),
        inclusionPromise: { signedEntryTimestamp: entry?.verification.signedEntryTimestamp },
        inclusionProof: {
          logIndex: '0',
          rootHash: base64(Buffer.from(proof?.rootHash ?? '', 'hex')),
          treeSize: '1',
          hashes: [],
          checkpoint: { envelope: proof?.checkpoint },
        },
        canonicalizedBody: entry?.body,
      },
    ];
    return { certificate: { rawBytes: base64(certificate) }, tlogEntries: logged ? entries : [] };
  };
  const bundle = (rest: object): string =>
    JSON.stringify({ mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json', ...rest });
  return {
    trustedRoot,
    /** As `cosign sign-blob` writes it. */
    signed: async (text: string, odd: Odd = {}): Promise<string> => {
      const { publicKey, privateKey } = pair();
      const certificate = Buffer.from((await certificateFor(publicKey, odd)).buffer);
      const signature = base64(sign('sha256', Buffer.from(text), privateKey));
      const hash = digest(text);
      const spec = {
        signature: { content: signature, publicKey: { content: base64(pem(publicKey)) } },
        data: { hash: { algorithm: 'sha256', value: hash.toString('hex') } },
      };
      return bundle({
        verificationMaterial: await material(certificate, 'hashedrekord', spec, odd),
        messageSignature: { messageDigest: { algorithm: 'SHA2_256', digest: base64(hash) }, signature },
      });
    },
    /** As GitHub's actions/attest writes it. */
    attested: async (text: string, odd: Odd & { predicateType?: string } = {}): Promise<string> => {
      const { publicKey, privateKey } = pair();
      const certificate = Buffer.from((await certificateFor(publicKey, odd)).buffer);
      const payloadType = 'application/vnd.in-toto+json';
      const payload = JSON.stringify({
        _type: 'https://in-toto.io/Statement/v1',
        subject: [{ name: 'mcp-contracts.lock.json', digest: { sha256: digest(text).toString('hex') } }],
        predicateType: odd.predicateType ?? 'https://slsa.dev/provenance/v1',
        predicate: {},
      });
      const encoded = `DSSEv1 ${payloadType.length} ${payloadType} ${Buffer.byteLength(payload)} ${payload}`;
      const signature = base64(sign('sha256', Buffer.from(encoded), privateKey));
      const spec = {
        payloadHash: { algorithm: 'sha256', value: digest(payload).toString('hex') },
        signatures: [{ signature, verifier: base64(pem(publicKey)) }],
      };
      return bundle({
        verificationMaterial: await material(certificate, 'dsse', spec, odd),
        dsseEnvelope: { payload: base64(payload), payloadType, signatures: [{ sig: signature, keyid: '' }] },
      });
    },
  };
};

/** A list of signers, as a file holds it. */
export const signersList = (...lines: object[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join('');
