import { toQuantity } from 'ethers'
import { Client, DatabaseError } from 'pg'
import { chainIdentity, connectChain } from '../accounts/chain.ts'
import type { LocalContract } from './chain.ts'

/** PostgreSQL's code for a table that does not exist. At the first start, the origin has not created its tables yet. */
const UNDEFINED_TABLE = '42P01'

/**
 * Mines empty blocks to replace the blocks that the local chain lost when it was killed. An origin serves no accounts
 * until the chain has reached the block of the last acknowledged write, and the chain otherwise mines only one block a
 * second.
 */
export async function mineLostBlocks(
  databaseUrl: string,
  rpcUrl: string,
  contract: LocalContract,
): Promise<void> {
  const chain = await connectChain([rpcUrl], contract)
  const { provider } = chain
  try {
    const required = await requiredBlock(databaseUrl, await chainIdentity(chain))
    const lost = required - (await provider.getBlockNumber())
    if (lost > 0) await provider.send('anvil_mine', [toQuantity(lost)])
  } finally {
    provider.destroy()
  }
}

async function requiredBlock(databaseUrl: string, chain: string): Promise<number> {
  const client = new Client({ connectionString: databaseUrl })
  try {
    await client.connect()
    const sql = 'select block from mirror_requirements where chain = $1'
    const { rows } = await client.query<{ block: string }>(sql, [chain])
    return Number(rows[0]?.block ?? 0)
  } catch (error) {
    if (error instanceof DatabaseError && error.code === UNDEFINED_TABLE) return 0
    throw error
  } finally {
    await client.end()
  }
}
