import { WebAuthnError } from '@simplewebauthn/browser'
import { UserFacingError } from '../post-json.ts'

/** Only one operation runs at a time. Progress and errors are shown in the page's live region. */
export function pressHandler(
  { button, status, waiting }: { button: HTMLButtonElement; status: HTMLElement; waiting: string },
  act: () => Promise<void>,
): () => Promise<void> {
  return async () => {
    if (button.disabled) return
    button.disabled = true
    status.textContent = waiting
    try {
      await act()
    } catch (failure) {
      status.textContent = describePasskeyFailure(failure)
      button.disabled = false
      button.focus()
    }
  }
}

const CANCELLED = 'Cancelled or timed out. Nothing was changed; you can try again.'
const WRONG_HOST =
  'Passkeys do not work at this address. Open this service by its host name, not by an IP address.'

/** Messages for WebAuthn errors that the user can resolve (WebAuthn, 5.1.3 and 5.1.4). */
const BY_CODE: Partial<Record<WebAuthnError['code'], string>> = {
  ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED: 'This device already has a passkey for your account.',
  ERROR_AUTHENTICATOR_MISSING_DISCOVERABLE_CREDENTIAL_SUPPORT:
    'This authenticator cannot store passkeys. Use another one.',
  ERROR_AUTHENTICATOR_MISSING_USER_VERIFICATION_SUPPORT:
    'This authenticator has no PIN, fingerprint or face recognition set up. Set one up, or use another authenticator.',
  ERROR_AUTHENTICATOR_NO_SUPPORTED_PUBKEYCREDPARAMS_ALG:
    'This authenticator does not support the required key types. Use another one.',
  ERROR_INVALID_DOMAIN: WRONG_HOST,
  ERROR_INVALID_RP_ID: WRONG_HOST,
  ERROR_CEREMONY_ABORTED: CANCELLED,
}

function describePasskeyFailure(failure: unknown): string {
  if (failure instanceof UserFacingError) return failure.message
  if (failure instanceof WebAuthnError && BY_CODE[failure.code]) return BY_CODE[failure.code]!
  // Browsers report a rejected request, a timeout and a missing passkey with the same error.
  if (failure instanceof Error && failure.name === 'NotAllowedError') return CANCELLED
  return 'The browser could not use a passkey. Try again, or sign in with an e-mail link.'
}
