/** Reasons in `GET /health` for not being healthy. `docs/operate.md` describes how to respond to each. */

/** While one of these applies, callers get 503, and a load balancer sends requests elsewhere. */
const DOWN = ['mirror_stale', 'database_away', 'executors_not_starting'] as const

/** The process keeps working, but an operator should take a look. */
const DEGRADED = [
  'chain_away',
  'overloaded',
  'payer_out_of_gas',
  'evidence_out_of_date',
  'certificate_ends',
  'processor_away',
  'books_differ',
] as const

export const REASONS = [...DOWN, ...DEGRADED]
export type ReasonCode = (typeof REASONS)[number]

/** Public texts: they must not contain addresses, amounts or provider names. */
export const MESSAGES: Record<ReasonCode, string> = {
  mirror_stale: 'The chain has not answered for longer than permissions may be old.',
  database_away: 'The database does not answer.',
  executors_not_starting: 'No process that executes actions can be started.',
  chain_away: 'The chain does not answer; what is known of it is still fresh enough.',
  overloaded: 'There is more to do than can be done in time; requests are answered 429.',
  payer_out_of_gas: 'The wallets that pay for writes are running out of gas.',
  evidence_out_of_date: 'There is no evidence of today to verify this origin by.',
  certificate_ends: 'The certificate runs out within days and was not renewed.',
  processor_away: 'The payment processor does not answer.',
  books_differ: 'An audit found books that do not agree.',
}

export function isDown(code: ReasonCode): boolean {
  return (DOWN as readonly ReasonCode[]).includes(code)
}
