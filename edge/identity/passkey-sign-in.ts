/**
 * Signs users in with passkeys (WebAuthn, 7.2). The credential identifies the user, so the user does not enter a name
 * first.
 */
import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server'
import { PASSKEY_CHALLENGE_LIFETIME_MS } from '../../shared/limits.ts'
import type { IdentityDeps } from './deps.ts'
import { readChallenge, type SignInResponse } from './passkey-answers.ts'
import { consumeChallenge, issueChallenge } from './passkey-challenges.ts'
import { findPasskeyCredential, recordPasskeyUse, type PasskeyCredential } from './passkeys.ts'
import type { RelyingParty } from './relying-party.ts'

/** The reason is only logged, and never sent to the client. */
type PasskeyRefusal =
  | 'not_an_answer'
  | 'challenge'
  | 'unknown_credential'
  | 'another_user'
  | 'unverified'
  | 'counter_went_back'

type PasskeySignInResult = { userId: string } | { refused: PasskeyRefusal }

export async function signInOptions(
  deps: IdentityDeps,
  { id }: RelyingParty,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  return {
    rpId: id,
    challenge: await issueChallenge(deps, { purpose: 'sign_in' }),
    allowCredentials: [],
    userVerification: 'required',
    timeout: PASSKEY_CHALLENGE_LIFETIME_MS,
  }
}

/** The challenge is consumed in any case. */
export async function verifyPasskeySignIn(
  deps: IdentityDeps,
  party: RelyingParty,
  answer: SignInResponse,
): Promise<PasskeySignInResult> {
  const challenge = readChallenge(answer.response.clientDataJSON)
  if (challenge === undefined) return { refused: 'not_an_answer' }
  if (!(await consumeChallenge(deps, challenge, { purpose: 'sign_in' })))
    return { refused: 'challenge' }
  const key = await findPasskeyCredential(deps, answer.id)
  if (!key) return { refused: 'unknown_credential' }
  // The response for a discoverable credential must contain the user handle (WebAuthn, 7.2, step 6).
  if (answer.response.userHandle !== key.userId) return { refused: 'another_user' }
  const counter = await verifyAssertion(party, challenge, answer, key)
  if (counter === undefined) return { refused: 'unverified' }
  if (!(await recordPasskeyUse(deps, answer.id, counter))) return { refused: 'counter_went_back' }
  return { userId: key.userId }
}

async function verifyAssertion(
  { id, origin }: RelyingParty,
  challenge: string,
  answer: SignInResponse,
  { publicKey }: PasskeyCredential,
): Promise<number | undefined> {
  const { userHandle: _, ...response } = answer.response
  // Loaded on demand, because other requests, such as webhooks, do not need the library.
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  const result = await verifyAuthenticationResponse({
    response: { ...answer, response, clientExtensionResults: {} },
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: id,
    requireUserVerification: true,
    // The library does not compare counters, because `recordPasskeyUse` does so after the signature is verified.
    credential: { id: answer.id, publicKey, counter: 0 },
  }).catch(() => undefined)
  return result?.verified ? result.authenticationInfo.newCounter : undefined
}
