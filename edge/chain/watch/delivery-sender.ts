import { DELIVERY_BYTES_MAX, DELIVERY_LOGS_MAX } from '../../../shared/limits.ts'
import { rootCauseText } from '../../db/root-cause-text.ts'
import { type Sleep, withTimeout } from '../../sleep.ts'
import type { ChainLog } from '../chain-log.ts'
import type { DeliveryResponse, LogDelivery } from '../subscription.ts'
import type { ReorgNotices } from './reorg-notices.ts'

const ANSWER_WITHIN_MS = 5_000

/** Estimated size of a log's JSON without its data. */
const LOG_BYTES = 1_024

/**
 * A delivery without a reorg notice. If a notice is pending, the sender adds it to the next delivery to the trigger.
 */
type OutgoingDelivery = Omit<LogDelivery, 'reorgedAbove' | 'logs'> & {
  logs: readonly ChainLog[]
}

/**
 * Outcome of a delivery, with the number of accepted logs. If fewer logs were accepted than sent, the trigger queue is
 * full.
 */
export type DeliveryOutcome =
  | { state: 'taken'; count: number }
  | { state: 'over' }
  | { state: 'away' }

type DeliverySenderOptions = {
  deliver: (triggerId: string, delivery: LogDelivery) => Promise<DeliveryResponse>
  notices: ReorgNotices
  transaction: (work: () => void) => void
  sleep: Sleep
  log: (event: string, facts: Record<string, string | number>) => void
}

/**
 * Sends deliveries to triggers. Makes one call at a time to each trigger, so that a reorg notice arrives before the
 * replacement logs.
 */
export class DeliverySender {
  readonly #options: DeliverySenderOptions
  readonly #busy = new Map<string, Promise<unknown>>()

  constructor(options: DeliverySenderOptions) {
    this.#options = options
  }

  async runExclusive<Result>(triggerId: string, work: () => Promise<Result>): Promise<Result> {
    const mine = (this.#busy.get(triggerId) ?? Promise.resolve()).then(work)
    const ended = mine.catch(() => undefined)
    this.#busy.set(triggerId, ended)
    try {
      return await mine
    } finally {
      if (this.#busy.get(triggerId) === ended) this.#busy.delete(triggerId)
    }
  }

  /**
   * Sends logs in as many calls as necessary, with pending reorg notices. Must be called within `runExclusive`. Never
   * throws.
   */
  async send(triggerId: string, { logs, ...rest }: OutgoingDelivery): Promise<DeliveryOutcome> {
    let count = 0
    do {
      const some = takeDelivery(logs, count)
      const isLast = count + some.length === logs.length
      const { backfillAt, ...facts } = rest
      const delivery = { ...facts, logs: some }
      // Backfill progress is valid only after all logs before it have been accepted, so only the last call reports it.
      const answer = await this.#callTrigger(
        triggerId,
        isLast && backfillAt !== undefined ? { ...delivery, backfillAt } : delivery,
      )
      if (answer.state !== 'taken') return count > 0 ? { state: 'taken', count } : answer
      count += answer.count
      if (answer.count < some.length) break
    } while (count < logs.length)
    return { state: 'taken', count }
  }

  async #callTrigger(triggerId: string, delivery: LogDelivery): Promise<DeliveryOutcome> {
    const { notices, transaction, deliver, sleep, log } = this.#options
    const notice = notices.of(triggerId)
    try {
      const noticed = notice ? { ...delivery, reorgedAbove: notice.above } : delivery
      const answer = await withTimeout(deliver(triggerId, noticed), ANSWER_WITHIN_MS, sleep)
      if (answer === undefined) {
        log('chain.silent', { trigger: triggerId })
        return { state: 'away' }
      }
      if (answer.state === 'taken' && !isValidCount(answer.count, delivery.logs.length))
        return { state: 'away' }
      // The response `over` also acknowledges the reorg notice, because the trigger has either marked its runs or has
      // no runs.
      if (notice) transaction(() => notices.acknowledge(triggerId, notice.serial))
      return answer
    } catch (error) {
      log('chain.failed', { trigger: triggerId, error: rootCauseText(error) })
      return { state: 'away' }
    }
  }
}

function isValidCount(count: number, logs: number): boolean {
  return Number.isSafeInteger(count) && count >= 0 && count <= logs
}

/** Returns as many logs as fit into one delivery, but at least one. */
function takeDelivery(logs: readonly ChainLog[], from: number): ChainLog[] {
  const some: ChainLog[] = []
  let bytes = 0
  for (let place = from; place < logs.length && some.length < DELIVERY_LOGS_MAX; place++) {
    const log = logs[place]!
    bytes += log.data.length + LOG_BYTES
    if (some.length > 0 && bytes > DELIVERY_BYTES_MAX) break
    some.push(log)
  }
  return some
}
