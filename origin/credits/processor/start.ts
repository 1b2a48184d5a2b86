import type { Chain } from '../../accounts/chain.ts'
import type { Sleep } from '../../db/in-time.ts'
import type { Database } from '../../db/open.ts'
import type { Log } from '../../log.ts'
import type { Credits } from '../credits.ts'
import { ProcessorClient } from './client.ts'
import { Payments } from './payments.ts'
import { processorConfig, type ProcessorConfig, type ProcessorSettings } from './settings.ts'
import { tendPayments } from './tending.ts'

export type Started = {
  payments: Payments
  config: ProcessorConfig
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
  chain: Pick<Chain, 'chainId' | 'contractAddress'>
  db: Database
  credits: Credits
  starterCents: number
  now: () => number
  sleep: Sleep
  log: Log
}): Started | undefined {
  const config = processorConfig(settings)
  if (!config) return undefined
  const { secretKey, live, url } = config
  // An account belongs to one contract, so its address distinguishes the deployments that share a processor.
  const name = `${chain.chainId}:${chain.contractAddress.toLowerCase()}`
  const { sleep, log } = parts
  const processor = new ProcessorClient({ secretKey, deployment: { name, live }, url, sleep, log })
  const onTakenBack = (accountHash: string) => credits.giveBack(accountHash)
  const payments = new Payments({ ...parts, processor, onTakenBack })
  return { payments, config, isAway: () => processor.isAway, stop: tendPayments(payments, log) }
}
