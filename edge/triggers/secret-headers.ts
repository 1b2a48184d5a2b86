/**
 * Headers that contain the secret itself instead of a signature. The action needs them, and the history masks their
 * values.
 */
const SECRET = new Set(['verif-hash', 'x-hotmart-hottok'])
/** Covers senders that are not listed. Examples: `x-webhook-secret`, `x-event-api-key`. */
const SECRET_PATTERN =
  /(secret|token|password|passwd|credentials?|authorization)$|(^|-)(auth|(access|api|auth|hook|private|secret|signing|webhook)-?key)$/
/**
 * IDs or challenges that are named like secrets. They are not masked, because owners need them to distinguish
 * deliveries.
 */
const NOT_SECRET = new Set(['i-twilio-idempotency-token', 'validation-token'])

/**
 * True if the history masks the header's value.
 * @param name in lower case
 */
export function isSecretHeader(name: string): boolean {
  return SECRET.has(name) || (SECRET_PATTERN.test(name) && !NOT_SECRET.has(name))
}
