/** Reasons for a degraded edge, as reported by `GET /health`. `docs/operate.md` has the remedy for each. */

/** With one of these, only webhooks, ticks and runs still work, and the status is 503. */
const DOWN = ['database_away'] as const

const DEGRADED = [
  'origin_not_verified_yet',
  'origin_not_verified',
  'origin_not_renewed',
  'scanner_late',
  'chain_away',
  'chain_behind',
] as const

export const REASONS = [...DOWN, ...DEGRADED]
export type ReasonCode = (typeof REASONS)[number]

export function isDown(code: ReasonCode): boolean {
  return (DOWN as readonly ReasonCode[]).includes(code)
}
