/** Why this edge may not do its work now, as `GET /health` says it. `docs/operate.md` says what to do about each. */

/** While it holds, nothing but webhooks, ticks and runs goes on: the status is 503. */
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
