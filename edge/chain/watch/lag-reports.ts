import { chunks } from '../../../shared/chunks.ts'
import { MINUTE_MS } from '../../../shared/durations.ts'
import { rootCauseText } from '../../db/root-cause-text.ts'
import { type Sleep, withTimeout } from '../../sleep.ts'
import type { SubjectReport } from '../../reports/report.ts'
import type { ChainLag, LagCode } from './lag-monitor.ts'

/** Time after which a chain that still lags is reported again, also to owners of new triggers. */
const REPEAT_MS = 30 * MINUTE_MS

/** Triggers per query for their owners. */
const TRIGGERS_PER_QUERY = 500
/** Calls in flight, so that a chain with many triggers causes no burst. */
const CALLS_AT_ONCE = 20
/** Calls of one update. The platform limits the calls of an invocation, so later updates reach the other owners. */
const CALLS_PER_UPDATE = 320
/** Time that the object of an owner has to respond. */
const ANSWER_WITHIN_MS = 10_000

type LagReportsOptions = {
  chain: string
  triggers: () => string[]
  /** Returns the IDs of the owners of triggers, without duplicates. */
  ownersOf: (triggerIds: readonly string[]) => Promise<string[]>
  report: (ownerId: string, report: SubjectReport) => Promise<void>
  keepAlive: (work: Promise<void>) => void
  sleep: Sleep
  now: () => number
  log: (event: string, facts: Record<string, string | number>) => void
}

/** A report, and the owners that it has not reached yet. */
type Round = {
  content: SubjectReport
  /** Triggers whose owners were not read yet. */
  triggers: (readonly string[])[]
  owners: string[]
  known: Set<string>
}

const MESSAGES: Record<LagCode, string> = {
  nodes_unavailable: 'No node of the chain responds.',
  head_not_moving: 'The nodes of the chain report no new blocks.',
  watcher_behind: 'The service has not read the latest blocks of the chain.',
}

/**
 * Reports to the owners of a chain's triggers that the chain lags, or has caught up. The last report is kept in memory
 * only: after an eviction, a report can be repeated, or the incident is resolved because there are no further reports.
 */
export class LagReports {
  readonly #options: LagReportsOptions
  #isReporting = false
  #reported: { code: LagCode; at: number } | undefined
  #round: Round | undefined

  constructor(options: LagReportsOptions) {
    this.#options = options
  }

  /** Called after each poll. @param lag undefined while the chain makes progress */
  update(lag: ChainLag | undefined): void {
    if (this.#isReporting) return
    const at = this.#options.now()
    if (lag && this.#isDue(at)) {
      this.#reported = { code: lag.code, at }
      this.#round = this.#newRound('open', lag.code)
    } else if (!lag && this.#reported) {
      this.#reported = undefined
      this.#round = this.#newRound('resolved', null)
    }
    if (this.#round) this.#options.keepAlive(this.#reportToOwners(this.#round))
  }

  #isDue(at: number): boolean {
    if (!this.#reported) return true
    // A repetition does not cut off a round that has not reached all owners.
    return !this.#round && Math.abs(at - this.#reported.at) >= REPEAT_MS
  }

  #newRound(state: SubjectReport['state'], code: LagCode | null): Round {
    const { chain, triggers } = this.#options
    const message = code && MESSAGES[code]
    return {
      content: { signal: 'chain_lagging', subject: chain, state, code, message },
      triggers: [...chunks(triggers(), TRIGGERS_PER_QUERY)],
      owners: [],
      known: new Set(),
    }
  }

  /** Never throws. An owner who cannot be reached gets the next repetition. */
  async #reportToOwners(round: Round): Promise<void> {
    const { log } = this.#options
    let failures = 0
    let reason = ''
    const fail = (error: unknown) => {
      failures++
      reason = rootCauseText(error)
    }
    this.#isReporting = true
    try {
      for (let calls = 0; calls < CALLS_PER_UPDATE && this.#round;) {
        const some = round.owners.splice(0, CALLS_AT_ONCE)
        await Promise.all(some.map((owner) => this.#report(owner, round.content).catch(fail)))
        calls += some.length
        if (round.owners.length > 0) continue
        const ids = round.triggers.shift()
        if (ids) await this.#readOwners(round, ids)
        else this.#round = undefined
        calls++
      }
    } catch (error) {
      this.#round = undefined
      fail(error)
    } finally {
      this.#isReporting = false
    }
    if (failures > 0) log('chain.lag_not_reported', { failures, reason })
  }

  async #readOwners({ known, owners }: Round, triggerIds: readonly string[]): Promise<void> {
    for (const owner of await this.#options.ownersOf(triggerIds)) {
      if (known.has(owner)) continue
      known.add(owner)
      owners.push(owner)
    }
  }

  /** @throws {Error} if the object of the owner fails, or does not respond in time */
  async #report(owner: string, content: SubjectReport): Promise<void> {
    const { report, sleep } = this.#options
    const reported = report(owner, content).then(() => true)
    if (!(await withTimeout(reported, ANSWER_WITHIN_MS, sleep))) throw new Error('no response')
  }
}
