/**
 * The second net under the log: what looks like a secret is taken out of a text that others wrote, an error's message
 * mostly. The first net is that no secret is a fact of an event.
 */

/** What stands in the place of a secret. */
export const redacted = '[redacted]'

/** Names under which no value is ever written. */
export const SECRET_NAMES: ReadonlySet<string> = new Set([
  'api_key',
  'usage_api_key',
  'private_key',
  'key',
  'secret',
  'token',
  'access_token',
  'psk',
  'password',
  'authorization',
  'cookie',
  'link',
  'email',
  'body',
  'code',
  'params',
  'js_params',
  'default_params',
  'headers',
  'url',
])

const SHAPES = [
  // Of a provider: its path, its query or its very host may be a key. Where our own code stands is no secret.
  /\b(?!file:)[a-z][a-z0-9+.-]*:\/\/[^\s"'<>)\]}]+/gi,
  // A header of a request that somebody quotes.
  /\b(?:bearer|basic)\s+[^\s"',;]+/gi,
  /\b(?:authorization|cookie|x-api-key|x-wallet-auth)["']?\s*[:=]\s*["']?[^\s"',;]+/gi,
  // What a client pays with, and what its webhooks are signed with.
  /\b(?:sk|rk|pk|whsec|pi|seti)_[A-Za-z0-9_]+/g,
  // JSON web tokens, receipts among them.
  /\beyJ[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*/g,
  /[^\s"'<>(),:;]+@[^\s"'<>(),:;]+\.[^\s"'<>(),:;]+/g,
  // 32 bytes in hex, with or without 0x: private keys and hashes, which nobody can tell apart.
  /\b(?:0x)?[0-9a-f]{64}(?![0-9a-f])/gi,
  // 32 bytes and more in base64 or base64url: account keys, usage keys, tokens, links.
  /(?<![A-Za-z0-9+/_-])(?=[^\s]*[A-Z])(?=[^\s]*[0-9])[A-Za-z0-9+/_-]{40,}={0,2}/g,
]

/** More of a text is not looked through: the time that it takes has an end. */
const LOOKED_THROUGH_CHARACTERS = 1_200

/** The beginning of the text, with `[redacted]` in the place of what looks like a secret. */
export function withoutSecrets(text: string): string {
  let left = text.slice(0, LOOKED_THROUGH_CHARACTERS)
  // Half a secret looks like none.
  if (left.length < text.length) left = left.replace(/\S+$/, '')
  for (const shape of SHAPES) left = left.replace(shape, redacted)
  return left
}
