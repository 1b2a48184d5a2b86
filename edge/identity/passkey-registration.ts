/** Registers passkeys (WebAuthn, 7.1). */
import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/server'
import { decodeBase64url } from '../../shared/encoding/base64url.ts'
import { PASSKEY_CHALLENGE_LIFETIME_MS, PASSKEYS_MAX } from '../../shared/limits.ts'
import type { IdentityDeps } from './deps.ts'
import { readChallenge, type RegistrationResponse } from './passkey-answers.ts'
import { consumeChallenge, issueChallenge } from './passkey-challenges.ts'
import { listPasskeys, type NewPasskey, storePasskey } from './passkeys.ts'
import type { RelyingParty } from './relying-party.ts'
import type { User } from './users.ts'

/** Signature algorithms (RFC 9053, RFC 8812) in order of preference, as recommended by WebAuthn, 5.4. */
const PASSKEY_ALGORITHMS = { ES256: -7, EdDSA: -8, RS256: -257 }

export type RegistrationResult =
  | 'stored'
  | 'already_registered'
  | 'too_many'
  | 'challenge'
  | 'unverified'

/**
 * Returns the options for creating a passkey: a discoverable credential with user verification. The user handle is the
 * account's ID, which has 16 random bytes and contains no personal data.
 */
export async function registrationOptions(
  deps: IdentityDeps,
  { id, origin }: RelyingParty,
  user: User,
): Promise<PublicKeyCredentialCreationOptionsJSON | 'too_many'> {
  const existing = await listPasskeys(deps, user.id)
  if (existing.length >= PASSKEYS_MAX) return 'too_many'
  return {
    rp: { id, name: new URL(origin).host },
    user: { id: user.id, name: user.email, displayName: user.email },
    challenge: await issueChallenge(deps, { purpose: 'register', userId: user.id }),
    pubKeyCredParams: Object.values(PASSKEY_ALGORITHMS).map((alg) => ({ type: 'public-key', alg })),
    authenticatorSelection: {
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: 'required',
    },
    attestation: 'none',
    excludeCredentials: existing.map(({ credentialId, transports }) => ({
      type: 'public-key',
      id: credentialId,
      transports,
    })),
    timeout: PASSKEY_CHALLENGE_LIFETIME_MS,
  }
}

/**
 * The user must be the one to whom `registrationOptions` issued the challenge. The challenge is consumed in any case.
 */
export async function registerPasskey(
  deps: IdentityDeps,
  party: RelyingParty,
  { userId, name, answer }: { userId: string; name: string; answer: RegistrationResponse },
): Promise<RegistrationResult> {
  const challenge = readChallenge(answer.response.clientDataJSON)
  if (challenge === undefined) return 'unverified'
  if (!(await consumeChallenge(deps, challenge, { purpose: 'register', userId })))
    return 'challenge'
  const passkey = await verifyRegistration(party, challenge, answer)
  return passkey ? storePasskey(deps, userId, { ...passkey, name }) : 'unverified'
}

async function verifyRegistration(
  { id, origin }: RelyingParty,
  challenge: string,
  answer: RegistrationResponse,
): Promise<Omit<NewPasskey, 'name'> | undefined> {
  if (!(await isUnattested(answer.response.attestationObject))) return undefined
  // Loaded on demand, because other requests, such as webhooks, do not need the library.
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  const result = await verifyRegistrationResponse({
    response: { ...answer, clientExtensionResults: {} },
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: id,
    requireUserPresence: true,
    requireUserVerification: true,
    supportedAlgorithmIDs: Object.values(PASSKEY_ALGORITHMS),
  }).catch(() => undefined)
  if (!result?.verified) return undefined
  const { credential } = result.registrationInfo
  // The credential ID from the browser must be identical to the one that the authenticator signed.
  if (credential.id !== answer.id) return undefined
  const { publicKey, counter } = credential
  return { credentialId: credential.id, publicKey, counter, transports: answer.response.transports }
}

/**
 * Returns true for no attestation and for self-attestation. Browsers send other attestations only if a site requests
 * them. Attestations with certificates are rejected, because a verifier would fetch URLs that the certificates contain.
 */
async function isUnattested(attestationObject: string): Promise<boolean> {
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers')
  const bytes = decodeBase64url(attestationObject)
  if (!bytes) return false
  try {
    const decoded = decodeAttestationObject(bytes)
    const format = decoded.get('fmt')
    return format === 'none' || (format === 'packed' && !decoded.get('attStmt').get('x5c'))
  } catch {
    return false
  }
}
