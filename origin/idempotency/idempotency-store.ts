import { randomUUID, createHmac } from 'node:crypto'
import { and, eq, gte, isNull, lt } from 'drizzle-orm'
import { IDEMPOTENT_RESPONSE_RETENTION_MS } from '../../shared/limits.ts'
import { deleteInBatches } from '../db/delete-in-batches.ts'
import type { Database } from '../db/open.ts'
import { keptAnswers, processes } from '../db/schema.ts'
import { fromDatabase } from '../db/database-unavailable.ts'
import { HEARTBEAT_LOST_MS } from '../runs/claims.ts'
import {
  decryptStoredResponse,
  encryptStoredResponse,
  type StoredResponse,
} from './response-codec.ts'

export type IdempotencyKeys = { naming: Uint8Array; sealing: Uint8Array }

export type IdempotencyStoreOptions = {
  db: Database
  processId: string
  /** ID of the previous process, which has certainly exited (see `predecessor.ts`), even if its heartbeat is recent. */
  predecessor?: string | undefined
  keys: IdempotencyKeys
  now: () => number
}

/** Request that the caller must execute. Afterwards, the caller must call `store`, `forget` or `release`. */
export type StartedRequest = {
  state: 'begun'
  /** Write ID, which is the same for every execution with this Idempotency-Key. */
  writeId: string
  store(answer: StoredResponse): Promise<void>
  /**
   * Called if the execution had no effect. After a first execution, the request may be sent again, even with a
   * different body.
   */
  forget(): Promise<void>
  /** Called if the outcome is unknown. A repeated request is executed again with the same write ID. */
  release(): Promise<void>
}

export type BeginResult =
  | StartedRequest
  | { state: 'answered'; answer: StoredResponse }
  | { state: 'in_progress' }
  | { state: 'other_body' }
  /** The response was lost, and the request must not be executed again. */
  | { state: 'lost' }

/**
 * Maximum number of attempts to insert or read a row, because other processes may delete and recreate the row in
 * between.
 */
const ATTEMPTS_MAX = 5

/**
 * Stores the first response to each request with an Idempotency-Key. The process that inserts the row executes the
 * request. The row remains after that process exits.
 */
export class IdempotencyStore {
  readonly #options: IdempotencyStoreOptions
  /**
   * Requests in flight in this process, with the hash of each body. A row of this process that is not in this map was
   * abandoned.
   */
  readonly #inFlight = new Map<string, Buffer>()

  constructor(options: IdempotencyStoreOptions) {
    this.#options = options
  }

  /**
   * @param runsOnce if true, a request is not executed again after its process has exited
   * @throws {DatabaseUnavailableError} in which case the request was not started
   */
  async begin(
    scope: RequestScope,
    body: Uint8Array,
    { runsOnce }: { runsOnce: boolean },
  ): Promise<BeginResult> {
    const { naming } = this.#options.keys
    const id = scopeId(naming, scope)
    const bodyHash = hashBody(naming, id, body)
    const here = this.#inFlight.get(id)
    if (here) return { state: here.equals(bodyHash) ? 'in_progress' : 'other_body' }
    this.#inFlight.set(id, bodyHash)
    let beginning: BeginResult | undefined
    try {
      beginning = await fromDatabase(this.#claim(id, bodyHash, runsOnce))
      return beginning
    } finally {
      if (beginning?.state !== 'begun') this.#inFlight.delete(id)
    }
  }

  async forgetOld(): Promise<void> {
    const { db } = this.#options
    await deleteInBatches(
      db,
      keptAnswers,
      lt(keptAnswers.startedAt, this.#date(-IDEMPOTENT_RESPONSE_RETENTION_MS)),
    )
  }

  async #claim(id: string, bodyHash: Buffer, runsOnce: boolean): Promise<BeginResult> {
    const { db, processId } = this.#options
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      const writeId = randomUUID()
      const inserted = await db
        .insert(keptAnswers)
        .values({ id, bodyHash, writeId, processId, startedAt: this.#date() })
        .onConflictDoNothing()
        .returning({ id: keptAnswers.id })
      if (inserted.length === 1) return this.#started(id, writeId, { first: true })
      const [row] = await db.select().from(keptAnswers).where(eq(keptAnswers.id, id))
      if (!row) continue
      if (row.startedAt < this.#date(-IDEMPOTENT_RESPONSE_RETENTION_MS)) {
        const same = and(eq(keptAnswers.id, id), eq(keptAnswers.writeId, row.writeId))
        await db.delete(keptAnswers).where(same)
        continue
      }
      if (!bodyHash.equals(row.bodyHash)) return { state: 'other_body' }
      if (row.answer) return this.#readStored(id, row.answer)
      if (await this.#isHeld(row.processId)) return { state: 'in_progress' }
      if (runsOnce) return { state: 'lost' }
      if (await this.#takeOver(id, row.processId))
        return this.#started(id, row.writeId, { first: false })
    }
    return { state: 'in_progress' }
  }

  #readStored(id: string, encrypted: Uint8Array): BeginResult {
    try {
      const answer = decryptStoredResponse(this.#options.keys.sealing, id, encrypted)
      return { state: 'answered', answer }
    } catch {
      // The response cannot be decrypted, but the existence of the response proves that the request was executed.
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

  #started(id: string, writeId: string, { first }: { first: boolean }): StartedRequest {
    const { db, processId, keys } = this.#options
    // Matches the row only if this process still owns it. Another process may have taken over the row because it
    // considered this process dead.
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
        this.#inFlight.delete(id)
      }
    }
    const release = () => ending(db.update(keptAnswers).set({ processId: null }).where(own))
    return {
      state: 'begun',
      writeId,
      store: (answer) => {
        const encrypted = encryptStoredResponse(keys.sealing, id, answer)
        return ending(db.update(keptAnswers).set({ answer: encrypted }).where(own))
      },
      // Deletes the row only after a first execution. An earlier execution may have written data, which a new write ID
      // would write a second time.
      forget: first ? () => ending(db.delete(keptAnswers).where(own)) : release,
      release,
    }
  }

  #date(offsetMs = 0): Date {
    return new Date(this.#options.now() + offsetMs)
  }
}

/**
 * Scope of an Idempotency-Key: one request with one API key. The database stores only keyed hashes of the scope, so
 * that its rows reveal nothing about accounts, API keys or bodies.
 */
type RequestScope = {
  accountHash: string
  keyHash: string
  method: string
  path: string
  idempotencyKey: string
}

/** The fields are encoded as JSON, so that different scopes never collide. */
function scopeId(key: Uint8Array, scope: RequestScope): string {
  const { accountHash, keyHash, method, path, idempotencyKey } = scope
  const parts = JSON.stringify(['scope', accountHash, keyHash, method, path, idempotencyKey])
  return createHmac('sha256', key).update(parts).digest('hex')
}

/** The hash includes the row's ID, so that equal bodies in different rows have different hashes. */
function hashBody(key: Uint8Array, id: string, body: Uint8Array): Buffer {
  return createHmac('sha256', key)
    .update(JSON.stringify(['body', id]))
    .update(body)
    .digest()
}
