import type { ContractChain } from '../../accounts/chain.ts'
import type { Sleep } from '../../db/time-limit.ts'
import type { Database } from '../../db/open.ts'
import type { OriginLog } from '../../log.ts'
import type { Credits } from '../credits.ts'
import { ProcessorClient } from './processor-client.ts'
import { Payments } from './payments.ts'
import {
  processorCredentials,
  type ProcessorCredentials,
  type ProcessorSettings,
} from './settings.ts'
import { pollPayments } from './poll-payments.ts'

export type PaymentsService = {
  payments: Payments
  config: ProcessorCredentials
  isAway: () => boolean
  stop: () => void
}

/**
 * Polls due payments until `stop` is called.
 * @returns undefined if no processor is configured
 */
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
  sleep: Sleep
  log: OriginLog
}): PaymentsService | undefined {
  const config = processorCredentials(settings)
  if (!config) return undefined
  const { secretKey, live, url } = config
  // An account belongs to one contract, so its address distinguishes the deployments that share a processor.
  const name = `${chain.chainId}:${chain.contractAddress.toLowerCase()}`
  const { sleep, log } = parts
  const processor = new ProcessorClient({ secretKey, deployment: { name, live }, url, sleep, log })
  const onClawback = (accountHash: string) => credits.giveBack(accountHash)
  const payments = new Payments({ ...parts, processor, onClawback })
  return { payments, config, isAway: () => processor.isAway, stop: pollPayments(payments, log) }
}
