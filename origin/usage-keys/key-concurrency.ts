import { and, eq, gte, sql } from 'drizzle-orm'
import type { Principal } from '../accounts/account.ts'
import { fromDatabase } from '../db/database-unavailable.ts'
import type { Database } from '../db/open.ts'
import { processes, usageKeyLimits } from '../db/schema.ts'
import { HEARTBEAT_LOST_MS } from '../runs/claims.ts'
import { KeyConcurrencyError } from './key-limits.ts'
import type { UsageKeyLimits } from './usage-key-limits.ts'

type KeyConcurrencyOptions = {
  db: Database
  processId: string
  limits: Pick<UsageKeyLimits, 'of'>
  /** Returns Unix milliseconds. */
  now: () => number
  onFailure: (error: unknown) => void
}

/** A run that counts against the limit of its key until it is released. */
export type RunSlot = { release(): void }

/** State of a key in this process. Statements about a key run one at a time. */
type KeyRuns = {
  running: number
  /** Number of runs whose statement is queued. */
  waiting: number
  last: Promise<unknown>
  /** Number of statements that were refused. */
  refusals: number
  isWriteQueued: boolean
}

/**
 * Limits the runs of a usage key that are in flight, across all processes. The database stores the number of runs of
 * each process. A process always writes its whole number, so a lost response is corrected by the next statement. The
 * runs of a process that has sent no heartbeat for 30 s are not counted.
 */
export class KeyConcurrency {
  readonly #options: KeyConcurrencyOptions
  readonly #keys = new Map<string, KeyRuns>()

  constructor(options: KeyConcurrencyOptions) {
    this.#options = options
  }

  /**
   * Starts a run. Returns undefined at once if the principal has no such limit.
   * @throws {KeyConcurrencyError | DatabaseUnavailableError}
   */
  start(principal: Principal): Promise<RunSlot> | undefined {
    const max = this.#options.limits.of(principal)?.maxConcurrent
    return max === undefined ? undefined : this.#start(principal, max)
  }

  async #start(principal: Principal, max: number): Promise<RunSlot> {
    const name = `${principal.account.hash}/${principal.keyHash}`
    const key = this.#keys.get(name) ?? {
      running: 0,
      waiting: 0,
      last: Promise.resolve(),
      refusals: 0,
      isWriteQueued: false,
    }
    this.#keys.set(name, key)
    const { refusals } = key
    key.waiting += 1
    await this.#inOrder(key, async () => {
      key.waiting -= 1
      // A refusal since the arrival of this run applies to it too, so a flood of runs costs few statements.
      if (key.running >= max || key.refusals > refusals || !(await this.#reserve(principal, key))) {
        key.refusals += 1
        throw new KeyConcurrencyError(max)
      }
      key.running += 1
    })
    let isOpen = true
    return {
      release: () => {
        if (!isOpen) return
        isOpen = false
        key.running -= 1
        this.#writeSoon(principal, name, key)
      },
    }
  }

  #inOrder(key: KeyRuns, work: () => Promise<void>): Promise<void> {
    const done = key.last.then(work)
    key.last = done.catch(() => {})
    return done
  }

  /** Runs that end while a statement is queued share it. */
  #writeSoon(principal: Principal, name: string, key: KeyRuns): void {
    if (key.isWriteQueued) return
    key.isWriteQueued = true
    void this.#inOrder(key, async () => {
      key.isWriteQueued = false
      const set = { running: this.#withRunning(key.running) }
      await this.#options.db.update(usageKeyLimits).set(set).where(ofKey(principal))
      // A run that is queued still uses this state. A second state of the key would count from zero.
      const isIdle = key.running === 0 && key.waiting === 0 && !key.isWriteQueued
      if (isIdle) this.#keys.delete(name)
    }).catch(this.#options.onFailure)
  }

  /** @returns false if the runs of all processes have reached the limit */
  async #reserve(principal: Principal, key: KeyRuns): Promise<boolean> {
    const { db, processId, now } = this.#options
    const alive = db
      .select({ one: sql`1` })
      .from(processes)
      .where(
        and(
          sql`${processes.id} = others.key`,
          gte(processes.heartbeatAt, new Date(now() - HEARTBEAT_LOST_MS)),
        ),
      )
    const elsewhere = sql`(
      select coalesce(sum(others.value::int), 0) from jsonb_each_text(${usageKeyLimits.running}) others
      where others.key <> ${processId} and exists ${alive})`
    const rows = await fromDatabase(
      db
        .update(usageKeyLimits)
        .set({ running: this.#withRunning(key.running + 1) })
        .where(
          and(
            ofKey(principal),
            sql`${elsewhere} + ${key.running}::int < ${usageKeyLimits.maxConcurrent}`,
          ),
        )
        .returning({ max: usageKeyLimits.maxConcurrent }),
    )
    return rows.length > 0
  }

  /** Replaces the number of this process, and drops the processes that have exited. */
  #withRunning(running: number) {
    const { processId } = this.#options
    const rest = sql`(
      select coalesce(jsonb_object_agg(others.key, others.value), '{}') from jsonb_each(${usageKeyLimits.running}) others
      where others.key <> ${processId} and exists (select 1 from ${processes} where ${processes.id} = others.key))`
    return running === 0
      ? rest
      : sql`${rest} || jsonb_build_object(${processId}::text, ${running}::int)`
  }
}

function ofKey({ account, keyHash }: Principal) {
  return and(eq(usageKeyLimits.accountHash, account.hash), eq(usageKeyLimits.keyHash, keyHash))
}
