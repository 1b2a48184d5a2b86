/**
 * Redacts likely secrets in text that is not ours, mostly error messages. This is the second line of defense. The first
 * is that no event has a secret as a fact.
 */

export const redacted = '[redacted]'

/** Names of facts that are always redacted. */
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
  // URLs of providers: path, query or even host may contain a key. Paths of our own code (file:) are not secret.
  /\b(?!file:)[a-z][a-z0-9+.-]*:\/\/[^\s"'<>)\]}]+/gi,
  // Request headers quoted in a message.
  /\b(?:bearer|basic)\s+[^\s"',;]+/gi,
  /\b(?:authorization|cookie|x-api-key|x-wallet-auth)["']?\s*[:=]\s*["']?[^\s"',;]+/gi,
  // Stripe-style keys and IDs: payment secrets and webhook signing secrets.
  /\b(?:sk|rk|pk|whsec|pi|seti)_[A-Za-z0-9_]+/g,
  // JSON Web Tokens, including receipts.
  /\beyJ[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*/g,
  /[^\s"'<>(),:;]+@[^\s"'<>(),:;]+\.[^\s"'<>(),:;]+/g,
  // 32 bytes in hex, with or without 0x: private keys and hashes, which look the same.
  /\b(?:0x)?[0-9a-f]{64}(?![0-9a-f])/gi,
  // 32 bytes or more in base64 or base64url: account keys, usage keys, tokens, links.
  /(?<![A-Za-z0-9+/_-])(?=[^\s]*[A-Z])(?=[^\s]*[0-9])[A-Za-z0-9+/_-]{40,}={0,2}/g,
]

/** Bounds the time spent on one text. */
const LOOKED_THROUGH_CHARACTERS = 1_200

/** Returns the beginning of the text, with likely secrets replaced by `[redacted]`. */
export function withoutSecrets(text: string): string {
  let left = text.slice(0, LOOKED_THROUGH_CHARACTERS)
  // Drops a last word that was cut off: a partial secret would not match any pattern.
  if (left.length < text.length) left = left.replace(/\S+$/, '')
  for (const shape of SHAPES) left = left.replace(shape, redacted)
  return left
}
