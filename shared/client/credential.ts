import { hasApiKeyFormat } from '../wire/api-key.ts'
import { NotSent } from './failures/transport-errors.ts'
import type { Credential, ClientRequest } from './request.ts'

/**
 * Kinds of credentials. `body` means a credential in the request body, such as a wallet's proof or the usage key of a
 * trigger.
 */
export type CredentialKind = 'apiKey' | 'token' | 'walletAuth' | 'body'

/** The origin must be verified before a credential is sent. */
export function credentialKinds({ credential, json }: Pick<ClientRequest, 'credential' | 'json'>) {
  const kinds: CredentialKind[] = credential ? [kindOf(credential)] : []
  if (BODY_CREDENTIAL_FIELDS.some((name) => Object.hasOwn(Object(json), name))) kinds.push('body')
  return kinds
}

/**
 * Names of body fields that contain credentials. Detecting them by name also covers future operations that use these
 * fields.
 */
const BODY_CREDENTIAL_FIELDS = ['usage_api_key', 'typed_data', 'signature']

function kindOf(credential: Credential): CredentialKind {
  if ('apiKey' in credential) return 'apiKey'
  return 'token' in credential ? 'token' : 'walletAuth'
}

/** Returns the secret in a credential, which must not appear in any error message. */
function secretOf(credential: Credential): string {
  if ('apiKey' in credential) return credential.apiKey
  return 'token' in credential ? credential.token : credential.walletAuth
}

/**
 * Returns the request header that contains the credential.
 * @throws {NotSent} `bad_credential` for a value that cannot be valid, such as a wallet's private key that was pasted
 * by mistake
 */
export function credentialHeader(credential: Credential): [name: string, value: string] {
  if ('apiKey' in credential) {
    requireApiKeyFormat(credential.apiKey)
    return ['x-api-key', credential.apiKey]
  }
  const secret = secretOf(credential)
  // The characters are checked here, because runtimes quote an invalid header value in their error message.
  if (!/^[\x21-\x7e]+$/.test(secret))
    throw new NotSent(
      'bad_credential',
      'the credential has characters that are invalid in a header',
      TEXT,
    )
  return 'token' in credential ? ['authorization', `Bearer ${secret}`] : ['x-wallet-auth', secret]
}

export function requireApiKeyFormat(apiKey: string): void {
  if (hasApiKeyFormat(apiKey)) return
  throw new NotSent('bad_credential', 'not an API key: expected 44 base64 characters', TEXT)
}

const TEXT = 'Pass it exactly as it was shown, without spaces. Nothing was sent.'

const KEY_LIKE_TEXT = /[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=/g

/** Redacts the request's own credential in a text, and any part in the format of a key. */
export function redactKeys(text: string, credential: Credential | undefined): string {
  return redactCredential(text, credential).replace(KEY_LIKE_TEXT, '[key]')
}

/**
 * Redacts only the request's own credential, because an action's output may contain other text in the format of a key.
 */
export function redactCredential(text: string, credential: Credential | undefined): string {
  return credential ? text.replaceAll(secretOf(credential), '[credential]') : text
}
