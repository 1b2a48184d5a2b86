/**
 * Redacts likely secrets in text from others, mostly error messages. Redaction is the second line of defense, after our
 * own code, which does not log secrets.
 */

export const REDACTED_TEXT = '[redacted]'

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
  // URLs. A provider's URL may contain a key in the path, the query or even the host. File URLs are excluded, because
  // they are paths of our own code.
  /\b(?!file:)[a-z][a-z0-9+.-]*:\/\/[^\s"'<>)\]}]+/gi,
  // Pattern of request headers with credentials.
  /\b(?:bearer|basic)\s+[^\s"',;]+/gi,
  /\b(?:authorization|cookie|x-api-key|x-wallet-auth)["']?\s*[:=]\s*["']?[^\s"',;]+/gi,
  // Pattern of Stripe-style keys and IDs: payment secrets and webhook signing secrets.
  /\b(?:sk|rk|pk|whsec|pi|seti)_[A-Za-z0-9_]+/g,
  // Pattern of JSON Web Tokens, including receipts.
  /\beyJ[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*/g,
  /[^\s"'<>(),:;]+@[^\s"'<>(),:;]+\.[^\s"'<>(),:;]+/g,
  // Pattern of 32 bytes in hex, with or without 0x. Private keys and hashes have the same format.
  /\b(?:0x)?[0-9a-f]{64}(?![0-9a-f])/gi,
  // Pattern of 32 bytes or more in base64 or base64url, such as account keys, usage keys, tokens and links.
  /(?<![A-Za-z0-9+/_-])(?=[^\s]*[A-Z])(?=[^\s]*[0-9])[A-Za-z0-9+/_-]{40,}={0,2}/g,
]

/** Maximum number of characters that are scanned, which bounds the time spent on one text. */
const SCANNED_CHARACTERS_MAX = 1_200

/** Returns only the start of a long text. */
export function redactSecrets(text: string): string {
  let left = text.slice(0, SCANNED_CHARACTERS_MAX)
  // The last word is removed, because it may have been cut off, and a partial secret might not match any pattern.
  if (left.length < text.length) left = left.replace(/\S+$/, '')
  for (const shape of SHAPES) left = left.replace(shape, REDACTED_TEXT)
  return left
}
