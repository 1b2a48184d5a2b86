import { clientNetwork } from '../../shared/network/client-network.ts'
import {
  ARRIVING_BODIES_BYTES,
  ARRIVING_BODIES_SHARE_BYTES,
  BODY_STALL_MS,
  UNAUTHENTICATED_BODIES_BYTES,
} from '../../shared/limits.ts'
import type { Principal } from '../accounts/state.ts'
import { BodyBudget } from './body-budget.ts'

/** Budget that a large request body counts against, and the holder's name in it. */
export type BodyHolder = { room: BodyBudget; name: string }

/**
 * Senders without a verified key have a separate budget, so that they cannot use up the memory for accounts and the
 * edge.
 */
export class BodyBudgets {
  // A stalled body is aborted within `BODY_STALL_MS`, which frees its memory.
  readonly #keyless = new BodyBudget({
    totalBytes: UNAUTHENTICATED_BODIES_BYTES,
    shareBytes: ARRIVING_BODIES_SHARE_BYTES,
    retryAfterMs: BODY_STALL_MS,
  })
  readonly #accounts = new BodyBudget({
    totalBytes: ARRIVING_BODIES_BYTES,
    shareBytes: ARRIVING_BODIES_SHARE_BYTES,
    retryAfterMs: BODY_STALL_MS,
  })
  readonly #edge = new BodyBudget({
    totalBytes: ARRIVING_BODIES_BYTES,
    shareBytes: ARRIVING_BODIES_BYTES,
    retryAfterMs: BODY_STALL_MS,
  })

  /** For a client without a verified key. Each client network has its own share. */
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
