import type { Attempted } from './attempts.ts'
import type { Clearing, EndedRun } from './clearing.ts'
import type { CreditHolds } from './credit-holds.ts'
import type { LiveRun, LiveRuns, Requeued } from './live-runs.ts'
import { ORIGIN_AWAY_MAX_MS, type OriginAbsence } from './origin-absence.ts'
import { RefusalStreak } from './refusal-streak.ts'
import type { TriggerState } from './trigger-state.ts'
import type { Verdict } from './verdict.ts'

export type SettlementOptions = {
  live: Pick<LiveRuns, 'finish' | 'requeue'>
  clearing: Clearing
  state: TriggerState
  absence: OriginAbsence
  holds: CreditHolds
  /** In [0, 1). */
  random: () => number
  /** Makes sure that the alarm fires at this time or before. */
  armBy: (at: number) => void
  /** A run that entered (1) or left (-1) the queue. */
  queueChanged: (change: 1 | -1, run: { bodyBytes: number }) => void
  /** Every run that ends, whatever ends it; its end is written. */
  runEnded: (run: EndedRun) => void
}

/** What follows from the end of an attempt: the run ends, or goes back into the queue, and the trigger is told. */
export class Settlement {
  readonly #options: SettlementOptions
  readonly #streak: RefusalStreak

  constructor(options: SettlementOptions) {
    this.#options = options
    this.#streak = new RefusalStreak(options.state)
  }

  /** @returns when the run is due again, where it waits for a time */
  settle({ run, verdict, inDoubtSince, ours }: Attempted, now: number): number | undefined {
    const { absence, holds, random } = this.#options
    const unused = run.attempt - 1
    const requeue = (to: Omit<Requeued, 'inDoubtSince'>) =>
      this.#requeue(run, { ...to, inDoubtSince }, now)
    if (!ours && verdict.kind !== 'origin_away' && verdict.kind !== 'not_sent') absence.answered()
    switch (verdict.kind) {
      case 'ended':
        this.#finish(run, verdict, now)
        return undefined
      case 'retry': {
        const nextAttemptAt = now + verdict.afterMs
        requeue({ attempt: run.attempt, nextAttemptAt, waitingFor: null })
        return nextAttemptAt
      }
      case 'wait': {
        const { shortage } = verdict
        const until = now + verdict.afterMs
        const usageKey = this.#options.state.current!.usageKey
        if (run.usageKey !== usageKey) {
          // Said of an earlier key, it is none of the others' business. In doubt it is sent with that key again.
          const nextAttemptAt = inDoubtSince === null ? null : until
          requeue({ attempt: unused, nextAttemptAt, waitingFor: null })
          return nextAttemptAt ?? undefined
        }
        const wait = { since: now, until }
        const lookAt = holds.refused(run, { usageKey, shortage, wait })
        requeue({ attempt: unused, nextAttemptAt: lookAt, waitingFor: shortage })
        return undefined
      }
      case 'origin_away':
        absence.failed(now, random(), verdict.retryAfterMs)
        requeue({ attempt: unused, nextAttemptAt: absence.until, waitingFor: 'origin' })
        this.#giveUp(now)
        return undefined
      case 'not_sent':
        requeue({ attempt: unused, nextAttemptAt: null, waitingFor: null })
        return undefined
    }
  }

  /** Ends a queued run as cancelled. @returns false where it is not queued */
  cancel(sequence: number, now: number): boolean {
    const ended = this.#options.clearing.cancel(sequence, now)
    if (ended) this.#cleared([ended])
    return ended !== undefined
  }

  /** Ends every queued run as cancelled. @returns how many there were */
  purge(now: number): number {
    const ended = this.#options.clearing.purge(now)
    this.#cleared(ended)
    return ended.length
  }

  #finish(run: LiveRun, verdict: Extract<Verdict, { kind: 'ended' }>, now: number): void {
    const { armBy, live, runEnded, state } = this.#options
    if (!live.finish(run, verdict.status, verdict.result, now)) return
    const { bodyBytes, sequence, startedAt, status, suffix } = { ...run, status: verdict.status }
    runEnded({ sequence, suffix, bodyBytes, startedAt, status, finishedAt: now })
    // A run that was sent under an earlier key says nothing of the one that the trigger has now.
    if (verdict.refusal && run.usageKey !== state.current?.usageKey) return
    // The index has to be told, by the alarm.
    if (this.#streak.ended(verdict.refusal, now)) armBy(now)
  }

  #requeue(run: LiveRun, to: Requeued, now: number): void {
    if (this.#options.live.requeue(run, to, now)) this.#options.queueChanged(1, run)
  }

  /** What has waited for the origin too long ends; younger runs go on waiting. */
  #giveUp(now: number): void {
    const { absence, clearing } = this.#options
    if (absence.isOverdue(now)) this.#cleared(clearing.giveUp(now - ORIGIN_AWAY_MAX_MS, now))
  }

  #cleared(ended: readonly EndedRun[]): void {
    const { queueChanged, runEnded } = this.#options
    for (const run of ended) {
      queueChanged(-1, run)
      runEnded(run)
    }
  }
}
