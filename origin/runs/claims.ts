import { and, eq, inArray, isNotNull, isNull, lt, lte, ne, notExists, or, sql } from 'drizzle-orm'
import {
  OUTCOME_RETENTION_MS,
  PROCESS_LEASE_MS,
  SEALED_CLOCK_SKEW_MS,
} from '../../shared/limits.ts'
import { ORIGIN_LOST, type Outcome } from '../../shared/wire/outcome.ts'
import { deleteInBatches } from '../db/delete-in-batches.ts'
import { GroupCommit } from '../../shared/group-commit.ts'
import type { Database } from '../db/open.ts'
import { payers, processes, replayIds, runClaims } from '../db/schema.ts'
import { fromDatabase } from '../db/database-unavailable.ts'
import { decryptOutcome, encryptOutcome, type RunKey } from './outcome-codec.ts'

/** Heartbeat interval, and time without a heartbeat after which a process is considered dead. */
export const HEARTBEAT_MS = 5_000
export const HEARTBEAT_LOST_MS = 30_000

/**
 * Minimum age at which an abandoned claim may be released. No query takes this long, so the response to the claim's
 * insert can no longer be in flight.
 */
const ABANDONED_AFTER_MS = 60_000

export type ClaimState = { state: 'running' } | { state: 'ended'; outcome: Outcome }

export type ClaimsOptions = {
  db: Database
  processId: string
  /** ID of the previous process, which is known to have exited (`predecessor.ts`). Its claims are ended immediately. */
  predecessor?: string | undefined
  outcomeKey: Uint8Array
  now: () => number
  /** Delays the storing of outcomes, so that more of them share a statement. By default, there is no delay. */
  outcomeDelay?: () => Promise<void> | undefined
}

type NewClaim = RunKey & { attempt: number }
type EncryptedOutcome = RunKey & { outcome: Buffer }

/**
 * Records which process executes each run, and the outcome of the run (`docs/decisions/0004`). The process that inserts
 * the claim executes the run. The first stored outcome is final; later outcomes are ignored.
 */
export class RunClaims {
  readonly #options: ClaimsOptions
  readonly #claims = new GroupCommit<NewClaim, boolean>({
    write: (claims) => this.#insertClaims(claims),
  })
  readonly #outcomes = new GroupCommit<EncryptedOutcome, boolean>({
    write: (outcomes) => this.#updateOutcomes(outcomes),
    delay: () => this.#options.outcomeDelay?.(),
    bytesOf: ({ outcome }) => outcome.length,
  })

  constructor(options: ClaimsOptions) {
    this.#options = options
  }

  /**
   * Must be called once before the first claim, and then every `HEARTBEAT_MS`. Also extends the lease that covers the
   * process's payers (`payer-leases.ts`).
   */
  async heartbeat(): Promise<void> {
    const at = this.#date()
    const beat = {
      heartbeatAt: at,
      leaseUntil: sql`clock_timestamp() + ${PROCESS_LEASE_MS} * interval '1 millisecond'`,
    }
    // Inserts the row again if it is missing: a process that was considered dead by mistake has lost its row. Without
    // the row, its new claims would never be reaped if it really died.
    await this.#options.db
      .insert(processes)
      .values({ id: this.#options.processId, startedAt: at, ...beat })
      .onConflictDoUpdate({ target: processes.id, set: beat })
  }

  /**
   * Claims a run for this process.
   * @returns true if this call made the claim; the caller must then execute the run
   * @throws {DatabaseUnavailableError} if it is unknown whether the claim was made. The caller must not execute the
   * run; a claim that was made is released later.
   */
  claim(run: RunKey, attempt: number): Promise<boolean> {
    return fromDatabase(this.#claims.add({ ...run, attempt }))
  }

  async #insertClaims(claims: readonly NewClaim[]): Promise<boolean[]> {
    const { db, processId } = this.#options
    const row = { processId, claimedAt: this.#date() }
    const made = await db
      .insert(runClaims)
      // Every process inserts in the same order, so that two processes that claim the same runs cannot deadlock.
      .values(claims.toSorted(compareRuns).map((claim) => ({ ...claim, ...row })))
      .onConflictDoNothing()
      .returning({ accountHash: runClaims.accountHash, runId: runClaims.runId })
    const names = new Set(made.map(nameOf))
    // If a batch contains a run twice, only the first call made the claim.
    return claims.map((claim) => names.delete(nameOf(claim)))
  }

  /**
   * Returns true if an earlier attempt of the run ended as `origin_lost`.
   * @throws {DatabaseUnavailableError}
   */
  async isLost(run: RunKey, attempt: number): Promise<boolean> {
    return (await this.#lostRow(run, attempt)) !== undefined
  }

  /**
   * Takes over a claim that ended as `origin_lost` in an earlier attempt, for triggers that prefer running twice to not
   * running at all (`on_lost` in `docs/decisions/0020`). If several callers try, in any process, exactly one succeeds.
   * @returns true if the caller must execute the run
   * @throws {DatabaseUnavailableError}
   */
  async takeOver(run: RunKey, attempt: number): Promise<boolean> {
    const { db, processId } = this.#options
    const lost = await this.#lostRow(run, attempt)
    if (!lost?.outcome) return false
    // Retains the old outcome until a new one is stored, so that `release` can restore the claim. Each encrypted
    // outcome has its own nonce. Comparing the encrypted bytes therefore detects whether the row has changed since it
    // was read.
    const taken = await fromDatabase(
      db
        .update(runClaims)
        .set({ processId, attempt, claimedAt: this.#date(), endedAt: null })
        .where(
          and(
            byRun(run),
            eq(runClaims.attempt, lost.attempt),
            isNotNull(runClaims.endedAt),
            eq(runClaims.outcome, lost.outcome),
          ),
        )
        .returning({ runId: runClaims.runId }),
    )
    return taken.length === 1
  }

  async #lostRow(run: RunKey, attempt: number) {
    const { db } = this.#options
    const earlier = and(byRun(run), lt(runClaims.attempt, attempt))
    const [row] = await fromDatabase(db.select().from(runClaims).where(earlier))
    const known = row && this.#stateOf(row)
    return known?.state === 'ended' && isOriginLost(known.outcome) ? row : undefined
  }

  /**
   * Releases claims of this process for runs that the process is not executing. Such claims remain if the response to
   * their insert was lost after the commit, or if an earlier release failed. No code of these runs was executed.
   */
  async releaseAbandoned(
    isExecuting: (run: RunKey) => boolean,
    olderThanMs = ABANDONED_AFTER_MS,
  ): Promise<void> {
    const { db, processId, now } = this.#options
    const rows = await db
      .select()
      .from(runClaims)
      .where(
        and(
          eq(runClaims.processId, processId),
          isNull(runClaims.endedAt),
          lte(runClaims.claimedAt, new Date(now() - olderThanMs)),
        ),
      )
    for (const row of rows) if (!isExecuting(row)) await this.release(row)
  }

  /**
   * Releases the claim of a run whose code was not executed in this attempt. If the claim was taken over, restores the
   * `origin_lost` outcome of the earlier attempt.
   */
  async release(run: RunKey): Promise<void> {
    const { db } = this.#options
    const open = and(this.#own(run), isNull(runClaims.endedAt))
    await db.delete(runClaims).where(and(open, isNull(runClaims.outcome)))
    await db
      .update(runClaims)
      .set({ endedAt: this.#date(), attempt: sql`${runClaims.attempt} - 1` })
      .where(and(open, isNotNull(runClaims.outcome)))
  }

  /** @returns the stored outcome, which is a different one if the claim was already ended */
  async finish(run: RunKey, outcome: Outcome): Promise<Outcome> {
    const { accountHash, runId } = run
    const encrypted = this.#encrypted(run, outcome)
    if (await this.#outcomes.add({ accountHash, runId, outcome: encrypted })) return outcome
    const earlier = await this.state(run)
    return earlier?.state === 'ended' ? earlier.outcome : outcome
  }

  async #updateOutcomes(outcomes: readonly EncryptedOutcome[]): Promise<boolean[]> {
    const { db, processId } = this.#options
    const rows = outcomes.map(
      ({ accountHash, runId, outcome }) => sql`(${accountHash}, ${runId}, ${outcome}::bytea)`,
    )
    const stored = await db
      .update(runClaims)
      .set({ endedAt: this.#date(), outcome: sql`ended.outcome` })
      .from(sql`(values ${sql.join(rows, sql`, `)}) as ended (account_hash, run_id, outcome)`)
      .where(
        and(
          sql`${runClaims.accountHash} = ended.account_hash and ${runClaims.runId} = ended.run_id`,
          eq(runClaims.processId, processId),
          isNull(runClaims.endedAt),
        ),
      )
      .returning({ accountHash: runClaims.accountHash, runId: runClaims.runId })
    const names = new Set(stored.map(nameOf))
    return outcomes.map((outcome) => names.delete(nameOf(outcome)))
  }

  /**
   * @returns undefined if the run was never claimed
   * @throws {DatabaseUnavailableError}
   */
  async state(run: RunKey): Promise<ClaimState | undefined> {
    const { db } = this.#options
    const [row] = await fromDatabase(db.select().from(runClaims).where(byRun(run)))
    return row && this.#stateOf(row)
  }

  /**
   * Runs that were never claimed are absent.
   * @param maxBytes size limit for the outcomes; once they exceed it, the remaining runs are reported as running and
   * must be requested again
   * @throws {DatabaseUnavailableError}
   */
  async states(
    runIds: readonly string[],
    maxBytes = Number.POSITIVE_INFINITY,
  ): Promise<Map<string, ClaimState>> {
    const { db } = this.#options
    const ofRuns = inArray(runClaims.runId, [...runIds])
    const rows = await fromDatabase(db.select().from(runClaims).where(ofRuns))
    let bytes = 0
    const states = new Map<string, ClaimState>()
    for (const row of rows) {
      states.set(row.runId, bytes > maxBytes ? { state: 'running' } : this.#stateOf(row))
      bytes += row.outcome?.length ?? 0
    }
    return states
  }

  #stateOf(row: typeof runClaims.$inferSelect): ClaimState {
    // An outcome without an end time belongs to an earlier attempt whose claim was taken over.
    if (!row.endedAt || !row.outcome) return { state: 'running' }
    try {
      const outcome = decryptOutcome(this.#options.outcomeKey, row, row.outcome)
      return { state: 'ended', outcome }
    } catch {
      // A damaged row must not prevent responses about other runs.
      const message = 'The stored outcome of this run cannot be decrypted.'
      return { state: 'ended', outcome: failedOutcome('outcome_lost', message) }
    }
  }

  /** Encrypts an outcome. If that fails, encrypts a failure instead, because retrying would fail again. */
  #encrypted(run: RunKey, outcome: Outcome): Buffer {
    const { outcomeKey } = this.#options
    try {
      return encryptOutcome(outcomeKey, run, outcome)
    } catch {
      const message = 'The outcome of this run could not be stored.'
      return encryptOutcome(outcomeKey, run, failedOutcome('outcome_lost', message))
    }
  }

  /** Ends the open claims of dead processes as `origin_lost`, because the code of these runs may have been executed. */
  async reap(): Promise<number> {
    const { db, predecessor, processId, now } = this.#options
    const isSilent = lt(processes.heartbeatAt, new Date(now() - HEARTBEAT_LOST_MS))
    const isPredecessor = predecessor === undefined ? undefined : eq(processes.id, predecessor)
    const dead = and(ne(processes.id, processId), or(isSilent, isPredecessor))
    const gone = await db.select({ id: processes.id }).from(processes).where(dead)
    if (gone.length === 0) return 0
    const ids = gone.map((row) => row.id)
    const held = and(inArray(runClaims.processId, ids), isNull(runClaims.endedAt))
    const lost = await db.select().from(runClaims).where(held)
    for (const row of lost) {
      const outcome = encryptOutcome(this.#options.outcomeKey, row, originLost())
      await db
        .update(runClaims)
        .set({ endedAt: this.#date(), outcome })
        .where(and(byRun(row), held))
    }
    // The end of the process's lease frees its payers, so its row is retained until they have been taken over.
    const heldPayers = db.select().from(payers).where(eq(payers.processId, processes.id))
    await db.delete(processes).where(and(inArray(processes.id, ids), notExists(heldPayers)))
    return lost.length
  }

  /**
   * Reports that this process no longer executes runs and requests, so that other processes end its claims, and take
   * over its requests, immediately.
   */
  async endHeartbeat(): Promise<void> {
    const { db, processId } = this.#options
    await db
      .update(processes)
      .set({ heartbeatAt: new Date(0) })
      .where(eq(processes.id, processId))
  }

  async deleteExpired(): Promise<void> {
    const { db, now } = this.#options
    await deleteInBatches(
      db,
      runClaims,
      lt(runClaims.endedAt, new Date(now() - OUTCOME_RETENTION_MS)),
    )
    // Retains request IDs for the permitted clock skew after their expiry, because a process with a slow clock may
    // still accept the request as fresh.
    const expired = new Date(now() - SEALED_CLOCK_SKEW_MS)
    await deleteInBatches(db, replayIds, lt(replayIds.expiresAt, expired))
  }

  /**
   * Returns false if the ID was already stored.
   * @throws {DatabaseUnavailableError}
   */
  async claimRequest(requestId: string, expiresAt: number): Promise<boolean> {
    const { db } = this.#options
    const taken = await fromDatabase(
      db
        .insert(replayIds)
        .values({ requestId, expiresAt: new Date(expiresAt) })
        .onConflictDoNothing()
        .returning({ requestId: replayIds.requestId }),
    )
    return taken.length === 1
  }

  #own(run: RunKey) {
    return and(byRun(run), eq(runClaims.processId, this.#options.processId))
  }

  #date(): Date {
    return new Date(this.#options.now())
  }
}

const nameOf = ({ accountHash, runId }: RunKey) => `${accountHash} ${runId}`

function compareRuns(a: RunKey, b: RunKey): number {
  const [one, other] = [nameOf(a), nameOf(b)]
  return Number(one > other) - Number(one < other)
}

function byRun({ accountHash, runId }: RunKey) {
  return and(eq(runClaims.accountHash, accountHash), eq(runClaims.runId, runId))
}

function isOriginLost(outcome: Outcome): boolean {
  return outcome.status === 'failed' && outcome.code === ORIGIN_LOST
}

/** The action may have had effects before, so it is not run again. */
export function originLost(actionCid = ''): Outcome {
  const message =
    'The machine that executed this run went down before it reported an outcome. The action may have run; it was not run again.'
  return failedOutcome(ORIGIN_LOST, message, actionCid)
}

function failedOutcome(code: string, message: string, actionCid = ''): Outcome {
  const nothing = { stack: '', logs: [], action_cid: actionCid, duration_ms: 0, charged_cents: 0 }
  return { status: 'failed', code, message, ...nothing }
}
