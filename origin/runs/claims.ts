import { and, eq, inArray, isNotNull, isNull, lt, ne, or, sql } from 'drizzle-orm'
import { OUTCOME_KEPT_MS, SEALED_CLOCK_SKEW_MS } from '../../shared/limits.ts'
import { ORIGIN_LOST, type Outcome } from '../../shared/wire/outcome.ts'
import { deleteOld } from '../db/delete-old.ts'
import type { Database } from '../db/open.ts'
import { processes, replayIds, runClaims } from '../db/schema.ts'
import { fromDatabase } from '../db/unavailable.ts'
import { decryptOutcome, encryptOutcome, type RunKey } from './outcome-codec.ts'

/** A process says that it lives this often, and is taken for dead after the second. */
export const HEARTBEAT_MS = 5_000
export const HEARTBEAT_LOST_MS = 30_000

/** A claim whose answer is still on its way is not forgotten: no query takes as long as this. */
const FORGOTTEN_AFTER_MS = 60_000

export type ClaimState = { state: 'running' } | { state: 'ended'; outcome: Outcome }

export type ClaimsOptions = {
  db: Database
  processId: string
  /** A process that is certainly dead (`predecessor.ts`): its claims are ended at once. */
  predecessor?: string | undefined
  outcomeKey: Uint8Array
  now: () => number
}

/**
 * Which runs were begun, by whom, and how they ended (`decisions.md`, Once). The insert of a claim decides who
 * executes a run; the first stored outcome is the run's outcome, whoever tries to store another.
 */
export class RunClaims {
  readonly #options: ClaimsOptions

  constructor(options: ClaimsOptions) {
    this.#options = options
  }

  /** Says that this process lives: once before its first claim, then every `HEARTBEAT_MS`. */
  async heartbeat(): Promise<void> {
    const at = this.#date()
    // An insert too: a process that was taken for dead and is not has lost its row, and without one nobody
    // would ever end the claims it makes from then on.
    await this.#options.db
      .insert(processes)
      .values({ id: this.#options.processId, startedAt: at, heartbeatAt: at })
      .onConflictDoUpdate({ target: processes.id, set: { heartbeatAt: at } })
  }

  /**
   * True when this call made the claim, and so its caller has to execute the run.
   * @throws {DatabaseUnavailable} and the caller must not execute it: a claim without an answer is released later
   */
  async claim(run: RunKey, attempt: number): Promise<boolean> {
    const { db, processId } = this.#options
    const made = await fromDatabase(
      db
        .insert(runClaims)
        .values({ ...run, processId, attempt, claimedAt: this.#date() })
        .onConflictDoNothing()
        .returning({ runId: runClaims.runId }),
    )
    return made.length === 1
  }

  /** Whether a run has ended as `origin_lost` in an earlier attempt than this one. @throws {DatabaseUnavailable} */
  async isLost(run: RunKey, attempt: number): Promise<boolean> {
    return (await this.#lostRow(run, attempt)) !== undefined
  }

  /**
   * Takes over a claim that has ended as `origin_lost` in an earlier attempt, for triggers that would rather run
   * twice than not at all (`decisions.md`, Once: `on_lost`). Of all that try, in any process, one succeeds.
   * @returns true when its caller has to execute the run
   * @throws {DatabaseUnavailable}
   */
  async takeOver(run: RunKey, attempt: number): Promise<boolean> {
    const { db, processId } = this.#options
    const lost = await this.#lostRow(run, attempt)
    if (!lost?.outcome) return false
    // The outcome stays until there is another: `release` gives the claim back as it was. Each has a nonce of its
    // own, so its bytes say whether the row is still the one that was read.
    const taken = await fromDatabase(
      db
        .update(runClaims)
        .set({ processId, attempt, claimedAt: this.#date(), endedAt: null })
        .where(
          and(
            ...ofRun(run),
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
    const earlier = and(...ofRun(run), lt(runClaims.attempt, attempt))
    const [row] = await fromDatabase(db.select().from(runClaims).where(earlier))
    const known = row && this.#stateIn(row)
    return known?.state === 'ended' && isOriginLost(known.outcome) ? row : undefined
  }

  /**
   * Gives back claims of this process that nobody in it carries: their insert was committed and its answer lost,
   * or an earlier release failed. Nothing of such a run was executed.
   */
  async releaseForgotten(isCarried: (run: RunKey) => boolean): Promise<void> {
    const { db, processId, now } = this.#options
    const rows = await db
      .select()
      .from(runClaims)
      .where(
        and(
          eq(runClaims.processId, processId),
          isNull(runClaims.endedAt),
          lt(runClaims.claimedAt, new Date(now() - FORGOTTEN_AFTER_MS)),
        ),
      )
    for (const row of rows) if (!isCarried(row)) await this.release(row)
  }

  /** Gives a claim back: nothing of this attempt was executed. One that was taken over is lost, as it was before. */
  async release(run: RunKey): Promise<void> {
    const { db } = this.#options
    const open = and(...this.#own(run), isNull(runClaims.endedAt))
    await db.delete(runClaims).where(and(open, isNull(runClaims.outcome)))
    await db
      .update(runClaims)
      .set({ endedAt: this.#date(), attempt: sql`${runClaims.attempt} - 1` })
      .where(and(open, isNotNull(runClaims.outcome)))
  }

  /** Stores how a run ended. @returns what is stored: another outcome where the claim was given up before */
  async finish(run: RunKey, outcome: Outcome): Promise<Outcome> {
    const { db } = this.#options
    const stored = await db
      .update(runClaims)
      .set({ endedAt: this.#date(), outcome: this.#encrypted(run, outcome) })
      .where(and(...this.#own(run), isNull(runClaims.endedAt)))
      .returning({ runId: runClaims.runId })
    if (stored.length === 1) return outcome
    const earlier = await this.state(run)
    return earlier?.state === 'ended' ? earlier.outcome : outcome
  }

  /** What is known of one account's run; `undefined` where it was never claimed. @throws {DatabaseUnavailable} */
  async state(run: RunKey): Promise<ClaimState | undefined> {
    const { db } = this.#options
    const rows = await fromDatabase(
      db
        .select()
        .from(runClaims)
        .where(and(...ofRun(run))),
    )
    return rows[0] && this.#stateIn(rows[0])
  }

  /**
   * What is known of some runs; one that was never claimed is absent.
   * @param maxBytes outcomes after those that take this much are told as if their runs went on: ask again
   * @throws {DatabaseUnavailable}
   */
  async states(
    runIds: readonly string[],
    maxBytes = Number.POSITIVE_INFINITY,
  ): Promise<Map<string, ClaimState>> {
    const { db } = this.#options
    const rows = await fromDatabase(
      db
        .select()
        .from(runClaims)
        .where(inArray(runClaims.runId, [...runIds])),
    )
    let bytes = 0
    const states = new Map<string, ClaimState>()
    for (const row of rows) {
      states.set(row.runId, bytes > maxBytes ? { state: 'running' } : this.#stateIn(row))
      bytes += row.outcome?.length ?? 0
    }
    return states
  }

  #stateIn(row: typeof runClaims.$inferSelect): ClaimState {
    // An outcome without an end is that of the attempt which this one took over from.
    if (!row.endedAt || !row.outcome) return { state: 'running' }
    try {
      const outcome = decryptOutcome(this.#options.outcomeKey, row, row.outcome)
      return { state: 'ended', outcome }
    } catch {
      // Told for this run alone: one damaged row must not hold up the answer about the others.
      return {
        state: 'ended',
        outcome: unkept('The outcome of this run can not be read any more.'),
      }
    }
  }

  /** An outcome that can not be written ends its run all the same: trying again would never help. */
  #encrypted(run: RunKey, outcome: Outcome): Buffer {
    const { outcomeKey } = this.#options
    try {
      return encryptOutcome(outcomeKey, run, outcome)
    } catch {
      return encryptOutcome(outcomeKey, run, unkept('The outcome of this run could not be kept.'))
    }
  }

  /**
   * Ends the claims whose process is gone: `origin_lost`, since their code may have run.
   * @returns how many there were
   */
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
        .where(and(...ofRun(row), held))
    }
    await db.delete(processes).where(inArray(processes.id, ids))
    return lost.length
  }

  /** Forgets outcomes and request ids that are past their time. */
  async forget(): Promise<void> {
    const { db, now } = this.#options
    await deleteOld(db, runClaims, lt(runClaims.endedAt, new Date(now() - OUTCOME_KEPT_MS)))
    // Another process' clock may be behind this one's, and still take the request for fresh.
    const expired = new Date(now() - SEALED_CLOCK_SKEW_MS)
    await deleteOld(db, replayIds, lt(replayIds.expiresAt, expired))
  }

  /** False when the request was seen before. @throws {DatabaseUnavailable} */
  async takeRequest(requestId: string, expiresAt: number): Promise<boolean> {
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
    return [...ofRun(run), eq(runClaims.processId, this.#options.processId)]
  }

  #date(): Date {
    return new Date(this.#options.now())
  }
}

function ofRun({ accountHash, runId }: RunKey) {
  return [eq(runClaims.accountHash, accountHash), eq(runClaims.runId, runId)]
}

function isOriginLost(outcome: Outcome): boolean {
  return outcome.status === 'failed' && outcome.code === ORIGIN_LOST
}

function unkept(message: string): Outcome {
  const nothing = { stack: '', logs: [], action_cid: '', duration_ms: 0, charged_cents: 0 }
  return { status: 'failed', code: 'outcome_lost', message, ...nothing }
}

/** How a run ends whose executor vanished: it may have had effects, so it is not run again. */
export function originLost(actionCid = '', durationMs = 0): Outcome {
  return {
    status: 'failed',
    code: ORIGIN_LOST,
    message:
      'The machine that executed this run went away before it reported an outcome. The action may have run; it was not run again.',
    stack: '',
    logs: [],
    action_cid: actionCid,
    duration_ms: durationMs,
    charged_cents: 0,
  }
}
