import { randomUUID } from 'node:crypto'
import { and, eq, gte, isNull, lt } from 'drizzle-orm'
import { ANSWER_KEPT_MS } from '../../shared/limits.ts'
import { deleteOld } from '../db/delete-old.ts'
import type { Database } from '../db/open.ts'
import { keptAnswers, processes } from '../db/schema.ts'
import { fromDatabase } from '../db/unavailable.ts'
import { HEARTBEAT_LOST_MS } from '../runs/claims.ts'
import { decryptAnswer, encryptAnswer, type KeptAnswer } from './answer-codec.ts'
import { bodyHashOf, type Scope, scopeId } from './scope.ts'

export type IdempotencyKeys = { naming: Uint8Array; sealing: Uint8Array }

export type KeptAnswersOptions = {
  db: Database
  processId: string
  /** A process that has certainly exited (see `predecessor.ts`), even if its heartbeat is recent. */
  predecessor?: string | undefined
  keys: IdempotencyKeys
  now: () => number
}

/** The caller must execute the request, and afterwards call one of the three methods. */
export type Begun = {
  state: 'begun'
  /** The same for every execution with this Idempotency-Key. */
  writeId: string
  /** Stores the response for repeated requests. */
  keep(answer: KeptAnswer): Promise<void>
  /**
   * Called if the execution had no effect. After a first execution, the request may be sent again, even with a
   * different body.
   */
  forget(): Promise<void>
  /** Called if the outcome is unknown. A repeated request is executed again with the same write ID. */
  release(): Promise<void>
}

export type Beginning =
  | Begun
  | { state: 'answered'; answer: KeptAnswer }
  | { state: 'in_progress' }
  | { state: 'other_body' }
  /** The response is lost, and the request must not be executed again. */
  | { state: 'lost' }

/** Attempts to insert or read a row, which other processes may delete and recreate in between. */
const LOOKS_MAX = 5

/**
 * Stores the first response to each request with an Idempotency-Key. The process that inserts the row executes the
 * request. The row outlives that process.
 */
export class KeptAnswers {
  readonly #options: KeptAnswersOptions
  /**
   * Requests in flight in this process, with the hash of the body. A row of this process that is not in this map was
   * abandoned.
   */
  readonly #underWay = new Map<string, Buffer>()

  constructor(options: KeptAnswersOptions) {
    this.#options = options
  }

  /**
   * Claims a request for execution.
   * @param runsOnce if true, a request is not executed again after its process has exited
   * @throws {DatabaseUnavailable} in which case the request was not started
   */
  async begin(
    scope: Scope,
    body: Uint8Array,
    { runsOnce }: { runsOnce: boolean },
  ): Promise<Beginning> {
    const { naming } = this.#options.keys
    const id = scopeId(naming, scope)
    const bodyHash = bodyHashOf(naming, id, body)
    const here = this.#underWay.get(id)
    if (here) return { state: here.equals(bodyHash) ? 'in_progress' : 'other_body' }
    this.#underWay.set(id, bodyHash)
    let beginning: Beginning | undefined
    try {
      beginning = await fromDatabase(this.#take(id, bodyHash, runsOnce))
      return beginning
    } finally {
      if (beginning?.state !== 'begun') this.#underWay.delete(id)
    }
  }

  async forgetOld(): Promise<void> {
    const { db } = this.#options
    await deleteOld(db, keptAnswers, lt(keptAnswers.startedAt, this.#date(-ANSWER_KEPT_MS)))
  }

  async #take(id: string, bodyHash: Buffer, runsOnce: boolean): Promise<Beginning> {
    const { db, processId } = this.#options
    for (let look = 0; look < LOOKS_MAX; look++) {
      const writeId = randomUUID()
      const inserted = await db
        .insert(keptAnswers)
        .values({ id, bodyHash, writeId, processId, startedAt: this.#date() })
        .onConflictDoNothing()
        .returning({ id: keptAnswers.id })
      if (inserted.length === 1) return this.#begun(id, writeId, { first: true })
      const [row] = await db.select().from(keptAnswers).where(eq(keptAnswers.id, id))
      if (!row) continue
      if (row.startedAt < this.#date(-ANSWER_KEPT_MS)) {
        const same = and(eq(keptAnswers.id, id), eq(keptAnswers.writeId, row.writeId))
        await db.delete(keptAnswers).where(same)
        continue
      }
      if (!bodyHash.equals(row.bodyHash)) return { state: 'other_body' }
      if (row.answer) return this.#answered(id, row.answer)
      if (await this.#isHeld(row.processId)) return { state: 'in_progress' }
      if (runsOnce) return { state: 'lost' }
      if (await this.#takeOver(id, row.processId))
        return this.#begun(id, row.writeId, { first: false })
    }
    return { state: 'in_progress' }
  }

  #answered(id: string, encrypted: Uint8Array): Beginning {
    try {
      const answer = decryptAnswer(this.#options.keys.sealing, id, encrypted)
      return { state: 'answered', answer }
    } catch {
      // The response cannot be decrypted, but its existence proves that the request was executed.
      return { state: 'lost' }
    }
  }

  /** True if another process that is still alive executes the request. */
  async #isHeld(holder: string | null): Promise<boolean> {
    const { db, predecessor, processId } = this.#options
    if (holder === null || holder === processId || holder === predecessor) return false
    const alive = and(
      eq(processes.id, holder),
      gte(processes.heartbeatAt, this.#date(-HEARTBEAT_LOST_MS)),
    )
    return (await db.select({ id: processes.id }).from(processes).where(alive)).length > 0
  }

  async #takeOver(id: string, from: string | null): Promise<boolean> {
    const { db, processId } = this.#options
    const held = from === null ? isNull(keptAnswers.processId) : eq(keptAnswers.processId, from)
    const taken = await db
      .update(keptAnswers)
      .set({ processId })
      .where(and(eq(keptAnswers.id, id), held, isNull(keptAnswers.answer)))
      .returning({ id: keptAnswers.id })
    return taken.length === 1
  }

  #begun(id: string, writeId: string, { first }: { first: boolean }): Begun {
    const { db, processId, keys } = this.#options
    // Another process may have taken the row over because it considered this process dead.
    const own = and(
      eq(keptAnswers.id, id),
      eq(keptAnswers.writeId, writeId),
      eq(keptAnswers.processId, processId),
      isNull(keptAnswers.answer),
    )
    const ending = async (query: PromiseLike<unknown>) => {
      try {
        await query
      } finally {
        this.#underWay.delete(id)
      }
    }
    const release = () => ending(db.update(keptAnswers).set({ processId: null }).where(own))
    return {
      state: 'begun',
      writeId,
      keep: (answer) => {
        const encrypted = encryptAnswer(keys.sealing, id, answer)
        return ending(db.update(keptAnswers).set({ answer: encrypted }).where(own))
      },
      // An earlier execution may have written data. Under a new write ID, the data would be written a second time.
      forget: first ? () => ending(db.delete(keptAnswers).where(own)) : release,
      release,
    }
  }

  #date(offsetMs = 0): Date {
    return new Date(this.#options.now() + offsetMs)
  }
}
