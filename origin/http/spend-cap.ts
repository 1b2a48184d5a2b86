import type { KeyCap, SpendCap } from '../credits/spend-caps.ts'
import type { Services } from '../services.ts'

/** What a request says of a cap; `null` takes it away. Its schema has seen to it that there are both or neither. */
type Said = {
  spend_cap_cents?: number | null | undefined
  spend_window_seconds?: number | null | undefined
}

/** The cap that a request is about; `undefined` where it says nothing of it. */
export function spendCapIn({
  spend_cap_cents: capCents,
  spend_window_seconds: windowSeconds,
}: Said): SpendCap | null | undefined {
  if (capCents === undefined) return undefined
  if (capCents === null || typeof windowSeconds !== 'number') return null
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
