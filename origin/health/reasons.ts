/** Reasons in `GET /health`; `docs/operate.md` describes how to respond to each. */

/** Reasons for the status `down`. Callers get 503, and a load balancer sends requests elsewhere. */
const DOWN = ['draining', 'mirror_stale', 'database_away', 'executors_not_starting'] as const

/** Reasons for an operator to investigate; the process continues to serve requests. */
const DEGRADED = [
  'chain_away',
  'overloaded',
  'payer_out_of_gas',
  'gas_budget_low',
  'evidence_out_of_date',
  'certificate_ends',
  'processor_away',
  'books_differ',
] as const

export const HEALTH_REASON_CODES = [...DOWN, ...DEGRADED]
export type HealthReasonCode = (typeof HEALTH_REASON_CODES)[number]

/** Messages for each reason. They are public, so they must not contain addresses, amounts or provider names. */
export const HEALTH_MESSAGES: Record<HealthReasonCode, string> = {
  draining: 'The process is about to stop: it ends its work, and accepts no new work.',
  mirror_stale: 'The chain has been unreachable for longer than permissions may be cached.',
  database_away: 'The database does not respond.',
  executors_not_starting: 'Executors cannot be started.',
  chain_away: 'The chain does not respond; the cached permissions are still recent enough.',
  overloaded: 'The node is overloaded and rejects requests with 429.',
  payer_out_of_gas: 'The wallets that pay for writes are low on gas.',
  gas_budget_low: 'Most of today’s gas budget for new accounts and conversions is used.',
  evidence_out_of_date: 'The attestation evidence is out of date.',
  certificate_ends: 'The certificate expires within days and has not been renewed.',
  processor_away: 'The payment processor does not respond.',
  books_differ: 'An audit found inconsistent books.',
}

export function isDownReason(code: HealthReasonCode): boolean {
  return (DOWN as readonly HealthReasonCode[]).includes(code)
}
