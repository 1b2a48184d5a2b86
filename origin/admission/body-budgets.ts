import { clientNetwork } from '../../shared/network/client-network.ts'
import { BODY_STALL_MS } from '../../shared/limits.ts'
import type { Principal } from '../accounts/account.ts'
import type { BodyLimits } from './memory-limits.ts'

/** Thrown if the memory for request bodies is exhausted. The rejected request had no effect. */
export class BodyBudgetExhaustedError extends Error {
  override readonly name = 'BodyBudgetExhaustedError'
  readonly retryAfterMs: number
  constructor(whose: string, retryAfterMs: number) {
    super(`the memory for request bodies ${whose} is exhausted`)
    this.retryAfterMs = retryAfterMs
  }
}

type BodyBudgetOptions = {
  /** Maximum size of all bodies together (`totalBytes`), and of the bodies of a single holder (`shareBytes`). */
  totalBytes: number
  shareBytes: number
  retryAfterMs: number
}

export class BodyBudget {
  readonly #options: BodyBudgetOptions
  readonly #held = new Map<string, number>()
  #total = 0

  constructor(options: BodyBudgetOptions) {
    this.#options = options
  }

  get heldBytes(): number {
    return this.#total
  }

  /** @throws {BodyBudgetExhaustedError} */
  reserve(holder: string, bytes: number): void {
    const { totalBytes, shareBytes, retryAfterMs } = this.#options
    const held = this.#held.get(holder) ?? 0
    if (held + bytes > shareBytes)
      throw new BodyBudgetExhaustedError('from this sender', retryAfterMs)
    if (this.#total + bytes > totalBytes)
      throw new BodyBudgetExhaustedError('from all senders', retryAfterMs)
    this.#held.set(holder, held + bytes)
    this.#total += bytes
  }

  release(holder: string, bytes: number): void {
    const held = (this.#held.get(holder) ?? 0) - bytes
    if (held > 0) this.#held.set(holder, held)
    else this.#held.delete(holder)
    this.#total -= bytes
  }
}

export type BodyHolder = { room: BodyBudget; name: string }

/**
 * Budgets for the memory of request bodies. Senders without a verified key have a separate budget, so that they cannot
 * use up the memory for accounts and the edge.
 */
export class BodyBudgets {
  readonly limits: BodyLimits
  readonly #keyless: BodyBudget
  readonly #accounts: BodyBudget
  readonly #edge: BodyBudget

  constructor(limits: BodyLimits) {
    this.limits = limits
    const { keylessBytes, accountsBytes, shareBytes } = limits
    // A rejected sender may retry after `BODY_STALL_MS`, because a stalled body is aborted within that time, which
    // frees its memory.
    const budget = (totalBytes: number, share = shareBytes) =>
      new BodyBudget({ totalBytes, shareBytes: share, retryAfterMs: BODY_STALL_MS })
    this.#keyless = budget(keylessBytes)
    this.#accounts = budget(accountsBytes)
    this.#edge = budget(accountsBytes, accountsBytes)
  }

  /** Each client network has its own share of the budget. */
  forClient(address: string): BodyHolder {
    return { room: this.#keyless, name: clientNetwork(address) }
  }

  forAccount({ account }: Principal): BodyHolder {
    return { room: this.#accounts, name: account.hash }
  }

  forEdge(): BodyHolder {
    return { room: this.#edge, name: 'edge' }
  }
}
