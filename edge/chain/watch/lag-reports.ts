import { chunks } from '../../../shared/chunks.ts'
import { MINUTE_MS } from '../../../shared/durations.ts'
import { rootCauseText } from '../../db/root-cause-text.ts'
import type { SubjectReport } from '../../reports/report.ts'
import type { ChainLag, LagCode } from './lag-monitor.ts'

/** Time after which a chain that still lags is reported again, also to owners of new triggers. */
const REPEAT_MS = 30 * MINUTE_MS

/** Triggers whose owners one query reads. */
const TRIGGERS_PER_QUERY = 500
/** Calls in flight, so that a chain with many triggers causes no burst. */
const CALLS_AT_ONCE = 20

type LagReportsOptions = {
  chain: string
  triggers: () => string[]
  /** Returns the owners of triggers, without duplicates. */
  ownersOf: (triggerIds: readonly string[]) => Promise<string[]>
  report: (ownerId: string, report: SubjectReport) => Promise<void>
  keepAlive: (work: Promise<void>) => void
  now: () => number
  log: (event: string, facts: Record<string, string | number>) => void
}

const MESSAGES: Record<LagCode, string> = {
  nodes_unavailable: 'No node of the chain responds.',
  head_not_moving: 'The nodes of the chain report no new blocks.',
  watcher_behind: 'The service has not read the latest blocks of the chain.',
}

/**
 * Reports to the owners of a chain's triggers that the chain lags, and that it no longer does. What was reported is in
 * memory only: after an eviction, a report can be repeated, or the incident ends when it gets no further reports.
 */
export class LagReports {
  readonly #options: LagReportsOptions
  #isReporting = false
  #reported: { code: LagCode; at: number } | undefined

  constructor(options: LagReportsOptions) {
    this.#options = options
  }

  /** Called after each poll. @param lag undefined while the chain makes progress */
  update(lag: ChainLag | undefined): void {
    const { keepAlive, now } = this.#options
    if (this.#isReporting) return
    const at = now()
    if (lag) {
      if (this.#reported && Math.abs(at - this.#reported.at) < REPEAT_MS) return
      this.#reported = { code: lag.code, at }
      keepAlive(this.#reportToOwners('open', lag.code))
    } else if (this.#reported) {
      this.#reported = undefined
      keepAlive(this.#reportToOwners('resolved', null))
    }
  }

  /** Never throws. An owner who cannot be reached gets the next repetition. */
  async #reportToOwners(state: SubjectReport['state'], code: LagCode | null): Promise<void> {
    const { chain, log, ownersOf, report, triggers } = this.#options
    const message = code && MESSAGES[code]
    const content = { signal: 'chain_lagging', subject: chain, state, code, message } as const
    const reached = new Set<string>()
    let failures = 0
    let reason = ''
    const fail = (error: unknown) => {
      failures++
      reason = rootCauseText(error)
    }
    this.#isReporting = true
    try {
      for (const ids of chunks(triggers(), TRIGGERS_PER_QUERY)) {
        const owners = (await ownersOf(ids)).filter((owner) => !reached.has(owner))
        for (const some of chunks(owners, CALLS_AT_ONCE)) {
          for (const owner of some) reached.add(owner)
          await Promise.all(some.map((owner) => report(owner, content).catch(fail)))
        }
      }
    } catch (error) {
      fail(error)
    } finally {
      this.#isReporting = false
    }
    if (failures > 0) log('chain.lag_not_reported', { failures, reason })
  }
}
