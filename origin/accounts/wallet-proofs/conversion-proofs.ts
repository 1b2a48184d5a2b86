import { and, eq, lt } from 'drizzle-orm'
import { PROOF_WINDOW_S } from '../../../shared/limits.ts'
import { deleteInBatches } from '../../db/delete-in-batches.ts'
import type { Database } from '../../db/open.ts'
import { conversionProofs } from '../../db/schema.ts'
import { fromDatabase } from '../../db/database-unavailable.ts'
import { PredictedRevertError } from '../predicted-revert.ts'
import type { WalletProof } from './wallet-proofs.ts'

type ConversionProofsOptions = {
  db: Database
  /** Returns the current time in Unix milliseconds. */
  now: () => number
}

type UsedProof = Pick<WalletProof, 'digest' | 'issuedAt'>

/**
 * Records the conversion for which each proof was used, to detect reuse. If an account is already converted, the
 * contract's error reports only the conversion, and not that the proof was used. The contract remains authoritative.
 */
export class ConversionProofs {
  readonly #options: ConversionProofsOptions

  constructor(options: ConversionProofsOptions) {
    this.#options = options
  }

  /**
   * @throws {PredictedRevertError} `TypedDataAlreadyUsed` if the proof is used for a different conversion
   * @throws {DatabaseUnavailableError}
   */
  async requireUnused({ digest }: UsedProof, writeId: string): Promise<void> {
    const { db } = this.#options
    const query = db.select().from(conversionProofs).where(eq(conversionProofs.digest, digest))
    const [used] = await fromDatabase(query)
    if (used && used.writeId !== writeId)
      throw new PredictedRevertError('TypedDataAlreadyUsed', [digest])
  }

  /**
   * Must be called before the conversion is sent. If concurrent conversions use the same proof, only one proceeds.
   * @throws {PredictedRevertError} `TypedDataAlreadyUsed` if the proof is used for a different conversion
   * @throws {DatabaseUnavailableError}
   */
  async use(proof: UsedProof, writeId: string): Promise<void> {
    const { db } = this.#options
    // A proof is valid for one window after its timestamp, and another process's clock may be behind by another window.
    const expiresAt = new Date((proof.issuedAt + 2 * PROOF_WINDOW_S) * 1000)
    const row = { digest: proof.digest, writeId, expiresAt }
    await fromDatabase(db.insert(conversionProofs).values(row).onConflictDoNothing())
    await this.requireUnused(proof, writeId)
  }

  /** Makes a proof usable again if its conversion was rejected before it was sent. */
  async release({ digest }: UsedProof, writeId: string): Promise<void> {
    const own = and(eq(conversionProofs.digest, digest), eq(conversionProofs.writeId, writeId))
    await fromDatabase(this.#options.db.delete(conversionProofs).where(own))
  }

  async forgetOld(): Promise<void> {
    const { db, now } = this.#options
    await deleteInBatches(db, conversionProofs, lt(conversionProofs.expiresAt, new Date(now())))
  }
}
