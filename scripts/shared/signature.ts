import { sigstoreSigner } from './sigstore.ts';
import { sshSigner } from './ssh-signature.ts';

/** Who signed a text; or why its signature does not count. */
export type Signed = { signer: string } | { why: string };

/**
 * Checks the signature of a text: one of SSH, or a Sigstore bundle, which is JSON.
 * @param signers the path of the list of signers
 * @param at the time at which the signer has to be allowed, in ms since 1970; absent: now
 */
export const signerOf = (text: string, signature: string, signers: string, at?: number): Signed =>
  signature.trimStart().startsWith('{')
    ? sigstoreSigner(text, signature, signers, at)
    : sshSigner(text, signature, signers, at);
