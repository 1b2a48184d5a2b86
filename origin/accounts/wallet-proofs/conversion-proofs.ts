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
  /** Milliseconds since 1970. */
  now: () => number
}

type UsedProof = Pick<WalletProof, 'digest' | 'issuedAt'>

/**
 * Which conversion each proof is used for (`decisions.md`, convert_to_chain_secured_account). The contract decides in
 * the end; of an account that is converted already it would say no more than that.
 */
export class ConversionProofs {
  readonly #options: ConversionProofsOptions

  constructor(options: ConversionProofsOptions) {
    this.#options = options
  }

  /** @throws {ForeseenRefusal} `TypedDataAlreadyUsed`, for another conversion than this one */
  async requireUnused({ digest }: UsedProof, writeId: string): Promise<void> {
    const { db } = this.#options
    const query = db.select().from(conversionProofs).where(eq(conversionProofs.digest, digest))
    const [used] = await fromDatabase(query)
    if (used && used.writeId !== writeId) throw alreadyUsed(digest)
  }

  /**
   * Takes a proof for one conversion, before anything of it is sent: of two requests at once one goes on.
   * @throws as `requireUnused`, and {DatabaseUnavailable}
   */
  async use(proof: UsedProof, writeId: string): Promise<void> {
    const { db } = this.#options
    // Valid up to one window after its time; the clock of another process may be a window behind.
    const expiresAt = new Date((proof.issuedAt + 2 * PROOF_WINDOW_S) * 1000)
    const row = { digest: proof.digest, writeId, expiresAt }
    await fromDatabase(db.insert(conversionProofs).values(row).onConflictDoNothing())
    await this.requireUnused(proof, writeId)
  }

  /** Gives a proof back whose conversion was refused before it was sent. */
  async giveBack({ digest }: UsedProof, writeId: string): Promise<void> {
    const own = and(eq(conversionProofs.digest, digest), eq(conversionProofs.writeId, writeId))
    await fromDatabase(this.#options.db.delete(conversionProofs).where(own))
  }

  /** Forgets proofs that are valid nowhere any more. */
  async forgetOld(): Promise<void> {
    const { db, now } = this.#options
    await deleteOld(db, conversionProofs, lt(conversionProofs.expiresAt, new Date(now())))
  }
}

function alreadyUsed(digest: string): ForeseenRefusal {
  return new ForeseenRefusal('TypedDataAlreadyUsed', [digest])
}
