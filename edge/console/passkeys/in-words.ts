import { WebAuthnError } from '@simplewebauthn/browser'
import { Told } from './ask.ts'

const CANCELLED = 'It was cancelled, or it took too long. Nothing was changed; you can try again.'
const BY_ANOTHER_NAME =
  'Passkeys do not work at this address. Open this service by the name in its links, not by a number.'

/** Messages for browser errors that a user can act on (WebAuthn, 5.1.3 and 5.1.4). */
const BY_CODE: Partial<Record<WebAuthnError['code'], string>> = {
  ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED: 'This device has a passkey for your account already.',
  ERROR_AUTHENTICATOR_MISSING_DISCOVERABLE_CREDENTIAL_SUPPORT:
    'This authenticator cannot keep a passkey. Use another one.',
  ERROR_AUTHENTICATOR_MISSING_USER_VERIFICATION_SUPPORT:
    'This authenticator has no PIN, fingerprint or face to know you by. Set one up, or use another.',
  ERROR_AUTHENTICATOR_NO_SUPPORTED_PUBKEYCREDPARAMS_ALG:
    'This authenticator makes no key that this service takes. Use another one.',
  ERROR_INVALID_DOMAIN: BY_ANOTHER_NAME,
  ERROR_INVALID_RP_ID: BY_ANOTHER_NAME,
  ERROR_CEREMONY_ABORTED: CANCELLED,
}

/** Describes a failed passkey operation for the user. */
export function inWords(failure: unknown): string {
  if (failure instanceof Told) return failure.message
  if (failure instanceof WebAuthnError && BY_CODE[failure.code]) return BY_CODE[failure.code]!
  // Browsers report a declined request, a timeout and a missing passkey as the same error.
  if (failure instanceof Error && failure.name === 'NotAllowedError') return CANCELLED
  return 'The browser could not use a passkey. Try again, or use the link by e-mail.'
}
