import type { TransactionReceipt } from 'ethers'
import { accountConfig } from './chain.ts'

/**
 * Arguments of a write's event. A joined earlier write may have had other arguments than the caller's, so its effect
 * must be read from the receipt.
 * @throws {Error} if the receipt has no such event
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
