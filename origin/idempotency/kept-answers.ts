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
  /** The ID under which this process writes its heartbeat. */
  processId: string
  /** ID of a process that is certainly dead (see `predecessor.ts`), even if its heartbeat is recent. */
  predecessor?: string | undefined
  keys: IdempotencyKeys
  now: () => number
}

/** A request that the caller must execute and then finish with one of the three methods. */
export type Begun = {
  state: 'begun'
  /** The same for every execution under this Idempotency-Key. */
  writeId: string
  /** Stores the response for repeated requests. */
  keep(answer: KeptAnswer): Promise<void>
  /**
   * Called when this execution had no effect. If it was the first, the request may be sent again, even with another
   * body.
   */
  forget(): Promise<void>
  /** Called when the outcome is unknown. A repeated request is executed again under the same write ID. */
  release(): Promise<void>
}

export type Beginning =
  | Begun
  | { state: 'answered'; answer: KeptAnswer }
  | { state: 'in_progress' }
  | { state: 'other_body' }
  /** The request was started, its response is lost, and it must not be started again. */
  | { state: 'lost' }

/** Maximum attempts to insert or read the row, which may be deleted and recreated in between. */
const LOOKS_MAX = 5

/**
 * Stores the first responses to requests with an Idempotency-Key. The insert of a row decides which process executes a
 * request. Rows remain when the process that inserted them exits.
 */
export class KeptAnswers {
  readonly #options: KeptAnswersOptions
  /**
   * Requests in flight in this process, with the hash of each body. A row of this process that is not listed here was
   * abandoned.
   */
  readonly #underWay = new Map<string, Buffer>()

  constructor(options: KeptAnswersOptions) {
    this.#options = options
  }

  /**
   * Claims a request for execution, or returns the reason why it must not be executed.
   * @param runsOnce does not execute a request again after the process that started it has died
   * @throws {DatabaseUnavailable} in which case nothing was started
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

  /** Deletes rows that are past their retention period. */
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
      // A damaged response still proves that the request was executed.
      return { state: 'lost' }
    }
  }

  /** Returns true if another live process is executing the request. */
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
    // Excludes a row that another process has taken over because it considered this one dead.
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
      // An earlier execution may have written something. Under a new write ID, it would be written twice.
      forget: first ? () => ending(db.delete(keptAnswers).where(own)) : release,
      release,
    }
  }

  #date(offsetMs = 0): Date {
    return new Date(this.#options.now() + offsetMs)
  }
}
