import type { ChangeAudit } from '../audit-log/append-entry.ts'
import type { KeyCap, SpendCap } from '../credits/spend-caps.ts'
import type { OriginServices } from '../services.ts'

/** The request's schema requires both numbers or neither. */
type SpendCapFields = {
  spend_cap_cents?: number | undefined
  spend_window_seconds?: number | undefined
  remove_spend_cap?: boolean | undefined
}

/** Null removes the cap, and `undefined` leaves the cap unchanged. */
export function readSpendCap({
  spend_cap_cents: capCents,
  spend_window_seconds: windowSeconds,
  remove_spend_cap: isRemoved,
}: SpendCapFields): SpendCap | null | undefined {
  if (isRemoved) return null
  if (capCents === undefined || windowSeconds === undefined) return undefined
  return { capCents, windowSeconds }
}

/** All fields are null if the key has no cap. */
export function toSpendCapRecord(cap: KeyCap | undefined) {
  return {
    spend_cap_cents: cap?.capCents ?? null,
    spend_window_seconds: cap?.windowSeconds ?? null,
    spent_cents: cap?.spentCents ?? null,
  }
}

/** Never rejects: a leftover cap is harmless, and a failure must not affect the response. */
export async function removeSpendCap(
  { credits, log }: Pick<OriginServices, 'credits' | 'log'>,
  payer: { accountHash: string; keyHash: string },
  audit: ChangeAudit,
): Promise<void> {
  try {
    await credits.setCap(payer, null, audit)
  } catch (error) {
    log('credits.cap_left', { error: error instanceof Error ? error.name : 'unknown' })
  }
}
