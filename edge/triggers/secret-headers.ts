/** Headers that contain the secret itself. The action needs them, and the history masks them. */
const SECRET = new Set(['verif-hash', 'x-hotmart-hottok'])
/** Masks headers by name, to cover the headers of unlisted senders: `x-webhook-secret`, `x-event-api-key`. */
const SECRET_PATTERN =
  /(secret|token|password|passwd|credentials?|authorization)$|(^|-)(auth|(access|api|auth|hook|private|secret|signing|webhook)-?key)$/
/** Named like secrets, but containing IDs or challenges. Owners need them to tell deliveries apart. */
const NOT_SECRET = new Set(['i-twilio-idempotency-token', 'validation-token'])

/**
 * Returns true if the history masks the value of a header.
 * @param name in lower case
 */
export function isSecretHeader(name: string): boolean {
  return SECRET.has(name) || (SECRET_PATTERN.test(name) && !NOT_SECRET.has(name))
}
