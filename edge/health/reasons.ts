/** Reasons why the edge is not healthy. `docs/operate.md` describes the remedy for each reason. */

/**
 * Reasons for which `GET /health` responds with 503. In this state, only webhooks, schedule ticks and runs still work.
 */
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

export function isEdgeDownReason(code: ReasonCode): boolean {
  return (DOWN as readonly ReasonCode[]).includes(code)
}
