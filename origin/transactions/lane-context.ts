import type { OriginLog } from '../log.ts'
import type { FeeMarket } from './fees.ts'
import type { HeadTracker } from './head-tracker.ts'
import type { TransactionStore } from './store.ts'
import type { TransactionChain, TransactionSigner } from './types.ts'

export type LaneContext = {
  chain: TransactionChain
  heads: HeadTracker
  market: FeeMarket
  store: TransactionStore
  signer: TransactionSigner
  log: OriginLog
  /** Unix milliseconds. */
  now: () => number
  /** Milliseconds of a clock that is never set back. */
  monotonic: () => number
  /** Returns the ID of a transaction that nobody has requested. */
  newId: () => string
  /** Called when a change of a transaction is in the database. */
  onSaved: (id: string) => void
  /** Called when another process may hold the lane. */
  onLost: () => void
}

/** One check is not enough to act on a nonce, because its response may come from a lagging node. */
export const CHECKS_UNTIL_LOST = 2
/** Checks if there is no further evidence. */
export const CHECKS_WITHOUT_EVIDENCE = 5
export const CHECK_MS = 1_000

/** Delay after the signer refused an attempt, which a change of a policy or the end of a window may allow. */
export const REFUSED_MS = 30_000

/** Age at which a head is read again before it is used. The base fee changes by at most an eighth per block. */
export const HEAD_MAX_AGE_MS = 3_000

/** Age at which the transaction count and the balance are read again before they are used. */
export const ACCOUNT_MAX_AGE_MS = 2_000

/** Gas of an empty transaction. */
export const TRANSFER_GAS = 21_000n
