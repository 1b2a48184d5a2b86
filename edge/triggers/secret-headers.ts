/** Headers whose value is the secret itself: the action needs them, a history must not show them. */
const SECRET = new Set([
  'x-gitlab-token',
  'x-telegram-bot-api-secret-token',
  'verif-hash',
  'dg-token',
  'x-buildkite-token',
  'goldsky-webhook-secret',
  'x-hook-secret',
])
/** Senders of one's own are as careful with names: `x-webhook-secret`, `webhook-token`, `x-event-api-key`. */
const SECRET_PATTERN =
  /(^|-)(secret|token|password|passwd|auth|authorization|credential|(api|access|secret)-?key)$/
/** Called like a secret, and an id or a nonce: masked, an owner could not tell deliveries apart. */
const NO_SECRET = new Set(['i-twilio-idempotency-token', 'validation-token'])

/** Whether a history shows that the header was there, and not its value. */
export function isSecretHeader(name: string): boolean {
  return SECRET.has(name) || (SECRET_PATTERN.test(name) && !NO_SECRET.has(name))
}
