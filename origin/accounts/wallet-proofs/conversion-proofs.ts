import { and, eq, lt } from 'drizzle-orm'
import { PROOF_WINDOW_S } from '../../../shared/limits.ts'
import { deleteOld } from '../../db/delete-old.ts'
import type { Database } from '../../db/open.ts'
import { conversionProofs } from '../../db/schema.ts'
import { fromDatabase } from '../../db/unavailable.ts'
import { ForeseenRefusal } from '../foreseen-refusal.ts'
import type { WalletProof } from './proof.ts'

export type ConversionProofsOptions = {
  db: Database
  /** Returns the current time in Unix milliseconds. */
  now: () => number
}

type UsedProof = Pick<WalletProof, 'digest' | 'issuedAt'>

/**
 * Records for which conversion each proof is used. The contract is authoritative, but if an account is already
 * converted, the contract reports only that fact and not that the proof was used.
 */
export class ConversionProofs {
  readonly #options: ConversionProofsOptions

  constructor(options: ConversionProofsOptions) {
    this.#options = options
  }

  /**
   * Checks that a proof is not used for a different conversion.
   * @throws {ForeseenRefusal} `TypedDataAlreadyUsed` if the proof is used for a different conversion
   * @throws {DatabaseUnavailable}
   */
  async requireUnused({ digest }: UsedProof, writeId: string): Promise<void> {
    const { db } = this.#options
    const query = db.select().from(conversionProofs).where(eq(conversionProofs.digest, digest))
    const [used] = await fromDatabase(query)
    if (used && used.writeId !== writeId) throw alreadyUsed(digest)
  }

  /**
   * Claims a proof for one conversion. Must be called before anything is sent. If two requests use the same proof
   * concurrently, only one of them proceeds.
   * @throws {ForeseenRefusal} `TypedDataAlreadyUsed` if the proof is used for a different conversion
   * @throws {DatabaseUnavailable}
   */
  async use(proof: UsedProof, writeId: string): Promise<void> {
    const { db } = this.#options
    // A proof is valid for one window after its timestamp, and the clock of another process may be behind by another
    // window.
    const expiresAt = new Date((proof.issuedAt + 2 * PROOF_WINDOW_S) * 1000)
    const row = { digest: proof.digest, writeId, expiresAt }
    await fromDatabase(db.insert(conversionProofs).values(row).onConflictDoNothing())
    await this.requireUnused(proof, writeId)
  }

  /** Releases a proof if the conversion was rejected before it was sent. */
  async giveBack({ digest }: UsedProof, writeId: string): Promise<void> {
    const own = and(eq(conversionProofs.digest, digest), eq(conversionProofs.writeId, writeId))
    await fromDatabase(this.#options.db.delete(conversionProofs).where(own))
  }

  /** Deletes proofs that have expired by the clock of every process. */
  async forgetOld(): Promise<void> {
    const { db, now } = this.#options
    await deleteOld(db, conversionProofs, lt(conversionProofs.expiresAt, new Date(now())))
  }
}

function alreadyUsed(digest: string): ForeseenRefusal {
  return new ForeseenRefusal('TypedDataAlreadyUsed', [digest])
}
