import type { PendingReports } from '../reports/pending-reports.ts'
import type { AttemptResult } from './run-sender.ts'
import type { QueueCancellation, EndedRun } from './queue-cancellation.ts'
import type { CreditBreakers } from './credit-breakers.ts'
import type { LiveRun, LiveRuns, RequeueFields } from './live-runs.ts'
import { OUTAGE_MAX_MS, type StoredOriginBreaker } from './stored-origin-breaker.ts'
import { recordRefusal } from './refusal-streak.ts'
import type { TriggerState } from './trigger-state.ts'
import type { AttemptVerdict } from './verdict.ts'

type RunTransitionsOptions = {
  live: Pick<LiveRuns, 'finish' | 'requeue'>
  cancellation: QueueCancellation
  state: TriggerState
  originBreaker: StoredOriginBreaker
  creditBreakers: CreditBreakers
  reports: PendingReports
  random: () => number
  armBy: (at: number) => void
  queueChanged: (change: 1 | -1, run: { bodyBytes: number }) => void
  runEnded: (run: EndedRun) => void
}

export class RunTransitions {
  readonly #options: RunTransitionsOptions

  constructor(options: RunTransitionsOptions) {
    this.#options = options
  }

  /** @returns the time at which the run is due again; `undefined` if the run does not wait for a particular time */
  apply({ run, verdict, inDoubtSince, ours }: AttemptResult, now: number): number | undefined {
    const { originBreaker, creditBreakers, random } = this.#options
    const previousAttempt = run.attempt - 1
    const requeue = (to: Omit<RequeueFields, 'inDoubtSince'>) =>
      this.#requeue(run, { ...to, inDoubtSince }, now)
    if (!ours && verdict.kind !== 'origin_away' && verdict.kind !== 'not_sent')
      originBreaker.recordSuccess()
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
          requeue({ attempt: previousAttempt, nextAttemptAt, waitingFor: null })
          return nextAttemptAt ?? undefined
        }
        const wait = { since: now, until }
        const probeAt = creditBreakers.recordRefusal(run, { usageKey, shortage, wait })
        requeue({ attempt: previousAttempt, nextAttemptAt: probeAt, waitingFor: shortage })
        return undefined
      }
      case 'origin_away':
        originBreaker.recordFailure(now, random(), verdict.retryAfterMs)
        requeue({
          attempt: previousAttempt,
          nextAttemptAt: originBreaker.until,
          waitingFor: 'origin',
        })
        this.#expireQueued(now)
        return undefined
      case 'not_sent':
        requeue({ attempt: previousAttempt, nextAttemptAt: null, waitingFor: null })
        return undefined
    }
  }

  cancel(sequence: number, now: number): boolean {
    const ended = this.#options.cancellation.cancel(sequence, now)
    if (ended) this.#notifyEnded([ended])
    return ended !== undefined
  }

  purge(now: number): number {
    const ended = this.#options.cancellation.purge(now)
    this.#notifyEnded(ended)
    return ended.length
  }

  #finish(run: LiveRun, verdict: Extract<AttemptVerdict, { kind: 'ended' }>, now: number): void {
    const { armBy, live, reports, runEnded, state } = this.#options
    const ended = live.finish(run, verdict.status, verdict.result, now)
    if (!ended) return
    const { bodyBytes, sequence, startedAt, status, suffix } = { ...run, status: verdict.status }
    const output = { attempt: run.attempt, logs: verdict.result.logs }
    const { isTest } = ended
    runEnded({ sequence, suffix, bodyBytes, startedAt, status, isTest, finishedAt: now, output })
    // A refusal of an earlier usage key does not count against the current key.
    if (verdict.refusal && run.usageKey !== state.current?.usageKey) return
    // If the refusal streak disabled the trigger, the alarm must update the index.
    if (!recordRefusal(state, verdict.refusal, now)) return
    armBy(now)
    const message = state.current?.disabledReason ?? null
    reports.add({ kind: 'signal', signal: 'trigger_disabled', state: 'open', code: null, message })
  }

  #requeue(run: LiveRun, to: RequeueFields, now: number): void {
    if (this.#options.live.requeue(run, to, now)) this.#options.queueChanged(1, run)
  }

  #expireQueued(now: number): void {
    const { originBreaker, cancellation } = this.#options
    if (originBreaker.isOverdue(now))
      this.#notifyEnded(cancellation.expire(now - OUTAGE_MAX_MS, now))
  }

  #notifyEnded(ended: readonly EndedRun[]): void {
    const { queueChanged, runEnded } = this.#options
    for (const run of ended) {
      queueChanged(-1, run)
      runEnded(run)
    }
  }
}
