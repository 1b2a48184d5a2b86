import type { TransactionReceipt } from 'ethers'
import { accountConfig } from './chain.ts'

/**
 * The arguments of the one event of that name in a write's receipt. A write that was joined by its id has other
 * arguments than the caller's, so what it did is read here, never assumed.
 * @throws {Error} where the write emitted none
 */
export function eventIn(
  { logs }: Pick<TransactionReceipt, 'logs'>,
  name: string,
): Record<string, any> {
  for (const log of logs) {
    const event = accountConfig.parseLog(log)
    if (event?.name === name) return event.args.toObject(false)
  }
  throw new Error(`the receipt has no event ${name}`)
}
