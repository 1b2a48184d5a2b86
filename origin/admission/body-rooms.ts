import { clientNetwork } from '../../shared/client-network.ts'
import {
  ARRIVING_BODIES_BYTES,
  ARRIVING_BODIES_SHARE_BYTES,
  BODY_STALL_MS,
  KEYLESS_BODIES_BYTES,
} from '../../shared/limits.ts'
import type { Principal } from '../accounts/state.ts'
import { BodyRoom } from './body-room.ts'

/** Budget that a large request body counts against, and the holder's name in it. */
export type BodyHolder = { room: BodyRoom; name: string }

/**
 * Senders without a verified key have a separate budget, so that they cannot use up the memory for accounts and the
 * edge.
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

  /** For a client without a verified key. Each client network has its own share. */
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
