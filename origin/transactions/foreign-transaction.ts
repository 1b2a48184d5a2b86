import { toQuantity } from 'ethers'
import { rpcFailureOf } from './rpc-failure.ts'
import type { Rpc } from './simulation.ts'

/** The transaction of a wallet that used a nonce. */
export type MinedTransaction = { hash: string; to: string; value: bigint; data: string }

/**
 * Finds the transaction that used a nonce, by the first block after which the wallet's transaction count exceeds it.
 * @param highest block at which the nonce is used
 * @returns undefined if the nodes do not have the states of earlier blocks, or the nonce was used without a transaction
 * @throws if the nodes do not respond
 */
export async function findByNonce(
  provider: Rpc,
  address: string,
  nonce: number,
  highest: number,
): Promise<MinedTransaction | undefined> {
  const isUsedAt = async (block: number) =>
    Number(await provider.send('eth_getTransactionCount', [address, toQuantity(block)])) > nonce
  try {
    const block = await firstBlock(isUsedAt, highest)
    const found = await provider.send('eth_getBlockByNumber', [toQuantity(block), true])
    for (const transaction of Array.isArray(found?.transactions) ? found.transactions : [])
      if (String(transaction.from).toLowerCase() === address && Number(transaction.nonce) === nonce)
        return {
          hash: String(transaction.hash).toLowerCase(),
          to: String(transaction.to ?? '').toLowerCase(),
          value: BigInt(transaction.value),
          data: String(transaction.input ?? '0x').toLowerCase(),
        }
    return undefined
  } catch (error) {
    if (rpcFailureOf(error)) return undefined
    throw error
  }
}

/** Most nonces were used recently, so the search starts at the highest block, with steps that double. */
async function firstBlock(
  isUsedAt: (block: number) => Promise<boolean>,
  highest: number,
): Promise<number> {
  let used = highest
  let unused = -1
  for (let step = 1; used > 0; step *= 2) {
    const block = Math.max(0, used - step)
    if (!(await isUsedAt(block))) {
      unused = block
      break
    }
    used = block
  }
  while (used - unused > 1) {
    const middle = Math.floor((used + unused) / 2)
    if (await isUsedAt(middle)) used = middle
    else unused = middle
  }
  return used
}
