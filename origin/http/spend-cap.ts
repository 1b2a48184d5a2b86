import type { KeyCap, SpendCap } from '../credits/spend-caps.ts'
import type { Services } from '../services.ts'

/** A request's fields of a cap. Its schema requires both numbers or neither. */
type Said = {
  spend_cap_cents?: number | undefined
  spend_window_seconds?: number | undefined
  remove_spend_cap?: boolean | undefined
}

/** The cap that a request sets; null where it removes the cap, `undefined` where it leaves it. */
export function spendCapIn({
  spend_cap_cents: capCents,
  spend_window_seconds: windowSeconds,
  remove_spend_cap: isRemoved,
}: Said): SpendCap | null | undefined {
  if (isRemoved) return null
  if (capCents === undefined || windowSeconds === undefined) return undefined
  return { capCents, windowSeconds }
}

/** A cap as lists show it; nulls where a key has none. */
export function spendCapRecord(cap: KeyCap | undefined) {
  return {
    spend_cap_cents: cap?.capCents ?? null,
    spend_window_seconds: cap?.windowSeconds ?? null,
    spent_cents: cap?.spentCents ?? null,
  }
}

/**
 * Takes away the cap of a key that nobody can use. Never rejects: what is left behind limits no key, and must not
 * change what is answered.
 */
export async function forgetCap(
  { credits, log }: Pick<Services, 'credits' | 'log'>,
  payer: { accountHash: string; keyHash: string },
): Promise<void> {
  try {
    await credits.setCap(payer, null)
  } catch (error) {
    log('credits.cap_left', { error: error instanceof Error ? error.name : 'unknown' })
  }
}
