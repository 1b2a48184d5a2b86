import type { ContractChain } from '../../accounts/chain.ts'
import type { AbortableSleep } from '../../timeout.ts'
import type { Database } from '../../db/open.ts'
import type { OriginLog } from '../../log.ts'
import type { Credits } from '../credits.ts'
import { repeatByTimer, skipIfBusy, type Repeat } from '../maintenance.ts'
import { ProcessorClient } from './processor-client.ts'
import { Payments } from './payments.ts'
import {
  processorCredentials,
  type ProcessorCredentials,
  type ProcessorSettings,
} from './settings.ts'

/** Each poll is one small query. */
const POLL_INTERVAL_MS = 5_000

export type PaymentsService = {
  payments: Payments
  config: ProcessorCredentials
  isAway: () => boolean
  stop: () => void
}

/** @returns undefined if no processor is configured */
export function startPayments({
  settings,
  chain,
  credits,
  ...parts
}: {
  settings: ProcessorSettings
  chain: Pick<ContractChain, 'chainId' | 'contractAddress'>
  db: Database
  credits: Credits
  starterCents: number
  now: () => number
  sleep: AbortableSleep
  log: OriginLog
}): PaymentsService | undefined {
  const config = processorCredentials(settings)
  if (!config) return undefined
  const { secretKey, live, url } = config
  // An account belongs to one contract, so the contract's address distinguishes the deployments that share a processor.
  const name = `${chain.chainId}:${chain.contractAddress.toLowerCase()}`
  const { sleep, log } = parts
  const processor = new ProcessorClient({ secretKey, deployment: { name, live }, url, sleep, log })
  const onClawback = (accountHash: string) => credits.giveBack(accountHash)
  const payments = new Payments({ ...parts, processor, onClawback })
  return { payments, config, isAway: () => processor.isAway, stop: pollPayments(payments, log) }
}

/**
 * Polls payments that no client has confirmed and no event has reported.
 * @returns a function that stops the polling, but does not wait for a poll in flight, which another process will repeat
 */
export function pollPayments(
  payments: Payments,
  log: OriginLog,
  repeat: Repeat = repeatByTimer,
): () => void {
  const ended = new AbortController()
  const poll = skipIfBusy(
    () => payments.pollDue(ended.signal),
    (error) => {
      if (!ended.signal.aborted) log('payments.failed', { error })
    },
  )
  const end = repeat(POLL_INTERVAL_MS, poll)
  return () => {
    end()
    ended.abort()
  }
}
