/** Headers whose value is the secret itself: the action needs them, history shows them masked. */
const SECRET = new Set(['verif-hash', 'x-hotmart-hottok'])
/** Masks by name, so that the headers of unlisted senders are covered: `x-webhook-secret`, `x-event-api-key`. */
const SECRET_PATTERN =
  /(secret|token|password|passwd|credentials?|authorization)$|(^|-)(auth|(access|api|auth|hook|private|secret|signing|webhook)-?key)$/
/** Named like a secret, but an id or a challenge: masked, an owner could not tell deliveries apart. */
const NOT_SECRET = new Set(['i-twilio-idempotency-token', 'validation-token'])

/** Whether history shows only that the header was there. @param name in lower case */
export function isSecretHeader(name: string): boolean {
  return SECRET.has(name) || (SECRET_PATTERN.test(name) && !NOT_SECRET.has(name))
}
