import type { TransactionReceipt } from 'ethers'
import { accountConfig } from './chain.ts'

/**
 * A repeated request gets the receipt of the first write, whose arguments may differ, so the effect of the write must
 * be read from the receipt.
 */
export function receiptEvent(
  { logs }: Pick<TransactionReceipt, 'logs'>,
  name: string,
): Record<string, any> {
  for (const log of logs) {
    const event = accountConfig.parseLog(log)
    if (event?.name === name) return event.args.toObject(false)
  }
  throw new Error(`the receipt has no event ${name}`)
}
