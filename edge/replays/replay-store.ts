/**
 * Bulk replays and their batches, in the object of the user. Each method is synchronous and runs in one transaction. All
 * times are in Unix milliseconds.
 */
import { MINUTE_MS } from '../../shared/durations.ts'
import { chunks } from '../../shared/chunks.ts'
import { groupBy } from '../../shared/group-by.ts'
import { HISTORY_RETENTION_MS } from '../../shared/limits.ts'
import type { ReplayCode } from '../../shared/wire/run.ts'
import type { ReplayBatchResult } from './replay-batch.ts'
import type { RequestIdentity } from './request-identity.ts'

export type RunReference = { triggerId: string; suffix: string }

export type NewReplay = {
  id: string
  ownerId: string
  code: ReplayCode
  perMinute: number
  includeReplayed: boolean
  identity?: RequestIdentity | undefined
  /** In the order in which they are replayed. */
  runs: readonly RunReference[]
}

export type StoredReplay = {
  number: number
  id: string
  ownerId: string
  code: ReplayCode
  perMinute: number
  includeReplayed: boolean
  status: 'running' | 'done' | 'cancelled'
  selected: number
  replayed: number
  triggerDisabled: number
  triggerDeleted: number
  runDeleted: number
  queueFull: number
  cancelled: number
  failed: number
  createdAt: number
  /** Time at which the next batch may be sent. */
  nextAt: number
  finishedAt: number | null
  /** `RequestIdentity.requestSha256`, or null if the request had no Idempotency-Key. */
  requestSha256: string | null
}

export type StoredBatch = {
  number: number
  triggerId: string
  suffixes: string[]
  /** Consecutive calls to the trigger's object that failed. */
  failures: number
  /** Time since which the batch waits for room in the trigger's queue, or null. */
  waitingSince: number | null
}

type SkipReason = 'triggerDisabled' | 'triggerDeleted' | 'runDeleted' | 'queueFull' | 'cancelled'

/** A batch takes about 10 s at the rate of the replay, so that a cancelled replay stops soon. */
const BATCHES_PER_MINUTE = 6
const BATCH_RUNS_MAX = 50

const COLUMNS = `number, id, owner_id AS ownerId, code, per_minute AS perMinute, include_replayed AS includeReplayed, status, selected, replayed,
  trigger_disabled AS triggerDisabled, trigger_deleted AS triggerDeleted, run_deleted AS runDeleted,
  queue_full AS queueFull, cancelled, failed, created_at AS createdAt, next_at AS nextAt, finished_at AS finishedAt,
  request_sha256 AS requestSha256`

const SKIP_COLUMNS: Record<SkipReason, string> = {
  triggerDisabled: 'trigger_disabled',
  triggerDeleted: 'trigger_deleted',
  runDeleted: 'run_deleted',
  queueFull: 'queue_full',
  cancelled: 'cancelled',
}

export class ReplayStore {
  readonly #storage: Pick<DurableObjectStorage, 'sql' | 'transactionSync'>

  constructor(storage: Pick<DurableObjectStorage, 'sql' | 'transactionSync'>) {
    this.#storage = storage
  }

  /**
   * Stores a replay, and marks its runs as replayed, so that a second replay of the same error group does not include
   * them.
   */
  add(replay: NewReplay, now: number): StoredReplay {
    const { id, ownerId, code, perMinute, includeReplayed, identity, runs } = replay
    const size = Math.min(Math.ceil(perMinute / BATCHES_PER_MINUTE), BATCH_RUNS_MAX)
    return this.#storage.transactionSync(() => {
      this.#exec(
        `INSERT INTO replays (id, owner_id, code, per_minute, include_replayed, status, selected, created_at, next_at,
           idempotency_key, request_sha256)
         VALUES (?, ?, ?, ?, ?, 'running', ?, ?, ?, ?, ?)`,
        id,
        ownerId,
        code,
        perMinute,
        includeReplayed ? 1 : 0,
        runs.length,
        now,
        now,
        identity?.idempotencyKey ?? null,
        identity?.requestSha256 ?? null,
      )
      const stored = this.byId(id)!
      for (const [triggerId, ofTrigger] of groupBy(runs, (run) => run.triggerId)) {
        const suffixes = ofTrigger.map(({ suffix }) => suffix)
        this.#mark(id, triggerId, suffixes)
        for (const part of chunks(suffixes, size))
          this.#exec(
            'INSERT INTO replay_batches (replay, trigger_id, suffixes) VALUES (?, ?, ?)',
            stored.number,
            triggerId,
            JSON.stringify(part),
          )
      }
      return stored
    })
  }

  byId(id: string): StoredReplay | undefined {
    return this.#replays('id = ?', id)[0]
  }

  /** Returns the latest replay that was started with the key after `since`. */
  byIdempotencyKey(key: string, since: number): StoredReplay | undefined {
    const condition = 'idempotency_key = ? AND created_at > ? ORDER BY number DESC LIMIT 1'
    return this.#replays(condition, key, since)[0]
  }

  byNumber(number: number): StoredReplay | undefined {
    return this.#replays('number = ?', number)[0]
  }

  /** Includes cancelled replays whose last batch has an unknown result. */
  unfinished(): StoredReplay[] {
    return this.#replays('finished_at IS NULL')
  }

  page(limit: number, before = Number.MAX_SAFE_INTEGER) {
    const rows = this.#replays('number < ? ORDER BY number DESC LIMIT ?', before, limit + 1)
    const replays = rows.slice(0, limit)
    return { replays, next: rows.length > limit ? replays.at(-1)!.number : undefined }
  }

  waitingTriggers(replay: number): { triggerId: string; since: number }[] {
    return this.#storage.sql
      .exec<{ triggerId: string; since: number }>(
        `SELECT trigger_id AS triggerId, min(waiting_since) AS since FROM replay_batches
         WHERE replay = ? AND waiting_since IS NOT NULL GROUP BY trigger_id`,
        replay,
      )
      .toArray()
  }

  /** Returns the next batch that may be sent; undefined if the replay has to wait. */
  dueBatch(replay: number, now: number): StoredBatch | undefined {
    return this.#batches('replay = ? AND not_before <= ? ORDER BY number LIMIT 1', replay, now)[0]
  }

  /** Returns the time at which the next batch is due; undefined if no batch is left. */
  nextBatchAt(replay: number): number | undefined {
    const { at } = this.#storage.sql
      .exec<{ at: number | null }>(
        'SELECT min(not_before) AS at FROM replay_batches WHERE replay = ?',
        replay,
      )
      .one()
    return at ?? undefined
  }

  /** Must be called before a batch is sent: the runs of a batch may be queued from then on. */
  markSending(batch: StoredBatch): void {
    this.#exec('UPDATE replay_batches SET sending = 1 WHERE number = ?', batch.number)
  }

  /**
   * @param retryAt time at which a full queue is tried again
   * @param waitMaxMs time after which runs are skipped if the queue stays full
   */
  recordResult(
    replay: StoredReplay,
    batch: StoredBatch,
    result: ReplayBatchResult,
    times: { now: number; retryAt: number; waitMaxMs: number },
  ): void {
    const { number, perMinute } = replay
    const { triggerId } = batch
    this.#storage.transactionSync(() => {
      if (result.state === 'unknown') return this.#skipTrigger(replay, triggerId, 'triggerDeleted')
      const { replayed, deleted, left } = result
      const nextAt = times.now + Math.ceil((replayed.length * MINUTE_MS) / perMinute)
      this.#exec(
        'UPDATE replays SET replayed = replayed + ?, next_at = ? WHERE number = ?',
        replayed.length,
        nextAt,
        number,
      )
      this.#drop(batch)
      this.#skip(replay, triggerId, deleted, 'runDeleted')
      if (this.byNumber(number)!.status === 'cancelled')
        return this.#skip(replay, triggerId, left, 'cancelled')
      if (result.state === 'disabled') {
        this.#skip(replay, triggerId, left, 'triggerDisabled')
        this.#skipTrigger(replay, triggerId, 'triggerDisabled')
        return
      }
      if (result.state === 'done') return this.#endWait(number, triggerId)
      const since = replayed.length > 0 ? times.now : (batch.waitingSince ?? times.now)
      if (times.now - since < times.waitMaxMs)
        return this.#wait(number, { ...batch, suffixes: left }, { since, until: times.retryAt })
      this.#skip(replay, triggerId, left, 'queueFull')
      this.#skipTrigger(replay, triggerId, 'queueFull')
    })
  }

  /** @param retryAt absent if the runs count as failed now */
  recordFailure({ number }: StoredReplay, batch: StoredBatch, retryAt?: number): void {
    this.#storage.transactionSync(() => {
      if (retryAt === undefined) {
        this.#drop(batch)
        this.#exec(
          'UPDATE replays SET failed = failed + ? WHERE number = ?',
          batch.suffixes.length,
          number,
        )
      } else
        this.#exec(
          'UPDATE replay_batches SET failures = failures + 1, not_before = ? WHERE number = ?',
          retryAt,
          batch.number,
        )
    })
  }

  /** Skips the batches that were not sent. @returns false if the replay is not running */
  cancel(id: string): boolean {
    return this.#storage.transactionSync(() => {
      const replay = this.byId(id)
      if (replay?.status !== 'running') return false
      this.#exec("UPDATE replays SET status = 'cancelled' WHERE number = ?", replay.number)
      this.#exec(
        'UPDATE replay_batches SET not_before = 0, waiting_since = NULL WHERE replay = ?',
        replay.number,
      )
      for (const batch of this.#batches('replay = ? AND NOT sending', replay.number)) {
        this.#drop(batch)
        this.#skip(replay, batch.triggerId, batch.suffixes, 'cancelled')
      }
      return true
    })
  }

  /** Marks a failed run that was replayed individually. */
  recordIndividual(triggerId: string, suffix: string, newSuffix: string): void {
    this.#exec(
      'UPDATE failed_runs SET replay_id = NULL, replay_suffix = ? WHERE trigger_id = ? AND suffix = ?',
      newSuffix,
      triggerId,
      suffix,
    )
  }

  finish(replay: number, now: number): void {
    this.#exec(
      `UPDATE replays SET finished_at = ?, status = CASE status WHEN 'running' THEN 'done' ELSE status END
       WHERE number = ?`,
      now,
      replay,
    )
  }

  prune(now: number): void {
    this.#exec('DELETE FROM replays WHERE finished_at < ?', now - HISTORY_RETENTION_MS)
  }

  /** Stores the rest of a batch, and makes all batches of its trigger wait. */
  #wait(
    replay: number,
    { number, triggerId, suffixes }: StoredBatch,
    { since, until }: { since: number; until: number },
  ): void {
    this.#exec(
      'INSERT INTO replay_batches (number, replay, trigger_id, suffixes) VALUES (?, ?, ?, ?)',
      number,
      replay,
      triggerId,
      JSON.stringify(suffixes),
    )
    this.#exec(
      'UPDATE replay_batches SET not_before = ?, waiting_since = ? WHERE replay = ? AND trigger_id = ?',
      until,
      since,
      replay,
      triggerId,
    )
  }

  #endWait(replay: number, triggerId: string): void {
    this.#exec(
      `UPDATE replay_batches SET not_before = 0, waiting_since = NULL
       WHERE replay = ? AND trigger_id = ? AND waiting_since IS NOT NULL`,
      replay,
      triggerId,
    )
  }

  #skipTrigger(replay: StoredReplay, triggerId: string, reason: SkipReason): void {
    const { number } = replay
    for (const batch of this.#batches('replay = ? AND trigger_id = ?', number, triggerId)) {
      this.#drop(batch)
      this.#skip(replay, triggerId, batch.suffixes, reason)
    }
  }

  /** Counts skipped runs, and removes their marks, so that a later replay can include them. */
  #skip(
    { id, number, includeReplayed }: StoredReplay,
    triggerId: string,
    suffixes: readonly string[],
    reason: SkipReason,
  ): void {
    if (suffixes.length === 0) return
    const column = SKIP_COLUMNS[reason]
    this.#exec(
      `UPDATE replays SET ${column} = ${column} + ? WHERE number = ?`,
      suffixes.length,
      number,
    )
    // The run may have been replayed before, so it keeps the mark.
    if (!includeReplayed) this.#unmark(id, triggerId, suffixes)
  }

  /** Keeps the marks of runs that were replayed in another way in the meantime. */
  #unmark(replayId: string, triggerId: string, suffixes: readonly string[]): void {
    this.#exec(
      `UPDATE failed_runs SET replay_id = NULL
       WHERE replay_id = ? AND trigger_id = ? AND suffix IN (SELECT value FROM json_each(?))`,
      replayId,
      triggerId,
      JSON.stringify(suffixes),
    )
  }

  #mark(replayId: string, triggerId: string, suffixes: readonly string[]): void {
    this.#exec(
      `UPDATE failed_runs SET replay_id = ?, replay_suffix = NULL
       WHERE trigger_id = ? AND suffix IN (SELECT value FROM json_each(?))`,
      replayId,
      triggerId,
      JSON.stringify(suffixes),
    )
  }

  #drop(batch: StoredBatch): void {
    this.#exec('DELETE FROM replay_batches WHERE number = ?', batch.number)
  }

  #replays(condition: string, ...values: SqlStorageValue[]): StoredReplay[] {
    const query = `SELECT ${COLUMNS} FROM replays WHERE ${condition}`
    const rows = this.#storage.sql.exec(query, ...values).toArray()
    return rows.map((row) => ({
      ...(row as unknown as StoredReplay),
      includeReplayed: row.includeReplayed === 1,
    }))
  }

  #batches(condition: string, ...values: SqlStorageValue[]): StoredBatch[] {
    const rows = this.#storage.sql.exec<Omit<StoredBatch, 'suffixes'> & { suffixes: string }>(
      `SELECT number, trigger_id AS triggerId, suffixes, failures, waiting_since AS waitingSince
       FROM replay_batches WHERE ${condition}`,
      ...values,
    )
    return [...rows].map((row) => ({ ...row, suffixes: JSON.parse(row.suffixes) as string[] }))
  }

  #exec(query: string, ...values: SqlStorageValue[]): void {
    this.#storage.sql.exec(query, ...values)
  }
}
