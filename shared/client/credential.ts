import { isApiKeyShape } from '../api-key.ts'
import { NotSent } from './failures/on-the-way.ts'
import type { Credential, Question } from './request.ts'

/** `body`: one that is not in a header: a wallet's proof, or the usage key of a trigger. */
export type CredentialKind = 'apiKey' | 'token' | 'walletAuth' | 'body'

/** All that a question shows somebody: it waits until the origin has been verified. */
export function kindsIn({ credential, json }: Pick<Question, 'credential' | 'json'>) {
  const kinds: CredentialKind[] = credential ? [kindOf(credential)] : []
  if (IN_BODIES.some((name) => Object.hasOwn(Object(json), name))) kinds.push('body')
  return kinds
}

/** By their names, so that no question of a later time can be forgotten. */
const IN_BODIES = ['usage_api_key', 'typed_data', 'signature']

export function kindOf(credential: Credential): CredentialKind {
  if ('apiKey' in credential) return 'apiKey'
  return 'token' in credential ? 'token' : 'walletAuth'
}

/** The secret itself, that no text may show. */
export function secretOf(credential: Credential): string {
  if ('apiKey' in credential) return credential.apiKey
  return 'token' in credential ? credential.token : credential.walletAuth
}

/**
 * The header that carries a credential.
 * @throws {NotSent} `bad_credential` for what can not be one: a wallet's secret, say, that was pasted in its place
 */
export function headerOf(credential: Credential): [name: string, value: string] {
  if ('apiKey' in credential) {
    requireApiKeyShape(credential.apiKey)
    return ['x-api-key', credential.apiKey]
  }
  const secret = secretOf(credential)
  // Runtimes say a header's value in the error of one that they do not send.
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

/** A text of an answer without the secret of its question, and without what has the shape of a key. */
export function withoutKeys(text: string, credential: Credential | undefined): string {
  return withoutSecret(text, credential).replace(ANY_KEY, '[key]')
}

/** Without the secret of the question alone: what an action writes may look like a key, and be none. */
export function withoutSecret(text: string, credential: Credential | undefined): string {
  return credential ? text.replaceAll(secretOf(credential), '[credential]') : text
}
