import { isApiKeyShape } from '../api-key.ts'
import { NotSent } from './failures/on-the-way.ts'
import type { Credential, Question } from './request.ts'

/** `body`: a credential in the body, such as a wallet's proof or the usage key of a trigger. */
export type CredentialKind = 'apiKey' | 'token' | 'walletAuth' | 'body'

/** Returns the kinds of credentials in a request. They are sent only after the origin has been verified. */
export function kindsIn({ credential, json }: Pick<Question, 'credential' | 'json'>) {
  const kinds: CredentialKind[] = credential ? [kindOf(credential)] : []
  if (IN_BODIES.some((name) => Object.hasOwn(Object(json), name))) kinds.push('body')
  return kinds
}

/** Detected by field name, so that a future operation with such a field is covered automatically. */
const IN_BODIES = ['usage_api_key', 'typed_data', 'signature']

export function kindOf(credential: Credential): CredentialKind {
  if ('apiKey' in credential) return 'apiKey'
  return 'token' in credential ? 'token' : 'walletAuth'
}

/** Returns the secret itself, which must not appear in any message. */
export function secretOf(credential: Credential): string {
  if ('apiKey' in credential) return credential.apiKey
  return 'token' in credential ? credential.token : credential.walletAuth
}

/**
 * Builds the header that carries a credential.
 * @throws {NotSent} `bad_credential` for an impossible value, such as a wallet's private key pasted by mistake
 */
export function headerOf(credential: Credential): [name: string, value: string] {
  if ('apiKey' in credential) {
    requireApiKeyShape(credential.apiKey)
    return ['x-api-key', credential.apiKey]
  }
  const secret = secretOf(credential)
  // Runtimes quote an invalid header value in their error message.
  if (!/^[\x21-\x7e]+$/.test(secret))
    throw new NotSent('bad_credential', 'the credential has characters that no header takes', TEXT)
  return 'token' in credential ? ['authorization', `Bearer ${secret}`] : ['x-wallet-auth', secret]
}

/** @throws {NotSent} `bad_credential` */
export function requireApiKeyShape(apiKey: string): void {
  if (isApiKeyShape(apiKey)) return
  throw new NotSent('bad_credential', 'this is no API key: one has 44 characters of base64', TEXT)
}

const TEXT = 'Give it as it was shown, whole and without spaces; nothing was sent.'

const ANY_KEY = /[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=/g

/** Removes the request's own credential from a response's text, and everything shaped like a key. */
export function withoutKeys(text: string, credential: Credential | undefined): string {
  return withoutSecret(text, credential).replace(ANY_KEY, '[key]')
}

/** Removes only the request's own credential: an action's output may look like a key without being one. */
export function withoutSecret(text: string, credential: Credential | undefined): string {
  return credential ? text.replaceAll(secretOf(credential), '[credential]') : text
}
