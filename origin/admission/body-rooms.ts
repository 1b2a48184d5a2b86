import { clientNetwork } from '../../shared/client-network.ts'
import {
  ARRIVING_BODIES_BYTES,
  ARRIVING_BODIES_SHARE_BYTES,
  BODY_STALL_MS,
  KEYLESS_BODIES_BYTES,
} from '../../shared/limits.ts'
import type { Principal } from '../accounts/state.ts'
import { BodyRoom } from './body-room.ts'

/** Memory budget that a large request body counts against, and the name of the holder within that budget. */
export type BodyHolder = { room: BodyRoom; name: string }

/**
 * Memory budgets for request bodies that are still arriving. Senders without a verified key have a separate budget, so
 * that they cannot use up the memory for accounts and the edge.
 */
export class BodyRooms {
  // A stalled body is aborted within `BODY_STALL_MS`, which frees its memory.
  readonly #keyless = new BodyRoom({
    totalBytes: KEYLESS_BODIES_BYTES,
    shareBytes: ARRIVING_BODIES_SHARE_BYTES,
    retryAfterMs: BODY_STALL_MS,
  })
  readonly #accounts = new BodyRoom({
    totalBytes: ARRIVING_BODIES_BYTES,
    shareBytes: ARRIVING_BODIES_SHARE_BYTES,
    retryAfterMs: BODY_STALL_MS,
  })
  readonly #edge = new BodyRoom({
    totalBytes: ARRIVING_BODIES_BYTES,
    shareBytes: ARRIVING_BODIES_BYTES,
    retryAfterMs: BODY_STALL_MS,
  })

  /**
   * Returns the budget for a client without a verified key. Each client network has its own share.
   * @param address the client's address
   */
  ofClient(address: string): BodyHolder {
    return { room: this.#keyless, name: clientNetwork(address) }
  }

  ofAccount({ account }: Principal): BodyHolder {
    return { room: this.#accounts, name: account.hash }
  }

  ofEdge(): BodyHolder {
    return { room: this.#edge, name: 'edge' }
  }
}
