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
  random: () => number
  armBy: (at: number) => void
  queueChanged: (change: 1 | -1, run: { bodyBytes: number }) => void
  runEnded: (run: EndedRun) => void
}

export class Settlement {
  readonly #options: SettlementOptions
  readonly #streak: RefusalStreak

  constructor(options: SettlementOptions) {
    this.#options = options
    this.#streak = new RefusalStreak(options.state)
  }

  /** @returns the time at which the run is due again; `undefined` if it does not wait for a particular time */
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
          // The shortage concerns an earlier usage key, so it does not affect other runs. A run with an unknown outcome
          // is retried with that earlier key.
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

  /** @returns false if the run is not queued */
  cancel(sequence: number, now: number): boolean {
    const ended = this.#options.clearing.cancel(sequence, now)
    if (ended) this.#cleared([ended])
    return ended !== undefined
  }

  /** @returns the number of cancelled runs */
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
    // A refusal of an earlier usage key does not count against the current key.
    if (verdict.refusal && run.usageKey !== state.current?.usageKey) return
    // The trigger was disabled, and the alarm updates the index.
    if (this.#streak.ended(verdict.refusal, now)) armBy(now)
  }

  #requeue(run: LiveRun, to: Requeued, now: number): void {
    if (this.#options.live.requeue(run, to, now)) this.#options.queueChanged(1, run)
  }

  /** Fails the runs that have waited too long for an unavailable origin. Younger runs keep waiting. */
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
