/**
 * Headers that contain the secret itself instead of a signature. The action needs the secrets, but the run history
 * masks their values.
 */
const SECRET = new Set(['verif-hash', 'x-hotmart-hottok'])
/** Matches secret headers of unlisted senders, for example `x-webhook-secret` and `x-event-api-key`. */
const SECRET_PATTERN =
  /(secret|token|password|passwd|credentials?|authorization)$|(^|-)(auth|(access|api|auth|hook|private|secret|signing|webhook)-?key)$/
/**
 * Headers that are named like secrets but contain IDs or challenges. The run history does not mask their values,
 * because owners need them to distinguish deliveries.
 */
const NOT_SECRET = new Set(['i-twilio-idempotency-token', 'validation-token'])

/** @param name lower-case header name */
export function isSecretHeader(name: string): boolean {
  return SECRET.has(name) || (SECRET_PATTERN.test(name) && !NOT_SECRET.has(name))
}
