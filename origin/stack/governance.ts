import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Contract, type JsonRpcProvider, type JsonRpcSigner } from 'ethers'
import { z } from 'zod'
import { governanceAbi } from '../../shared/abi/governance.ts'
import { makeChange } from '../contracts/governance/change.ts'
import { deployGovernance } from '../contracts/governance/deploy.ts'
import { openLocalChain } from './chain.ts'

/** Accounts of anvil that decide; the first of its accounts owns the other contract. */
const MEMBERS = [1, 2, 3]
/** Of them, who must agree. */
const THRESHOLD = 2

/** Who decides in a local stack: as many as it takes. */
export function governanceMembers(provider: JsonRpcProvider): Promise<JsonRpcSigner[]> {
  return Promise.all(MEMBERS.slice(0, THRESHOLD).map((account) => provider.getSigner(account)))
}

const deploymentSchema = z.object({ address: z.string(), block: z.number() })

/**
 * The governance contract of this folder's chain, in which the members have allowed a compose hash: deployed at the
 * first start, or where the chain has lost it. What they allowed before stays allowed, as it would for a roll back.
 * @param composeHash hex of 32 bytes
 * @returns its address, 0x hex, which is the application's id
 */
export async function ensureGovernance(
  stateDir: string,
  rpcUrl: string,
  composeHash: string,
): Promise<string> {
  const file = join(stateDir, 'chain', 'governance.json')
  const provider = openLocalChain(rpcUrl)
  try {
    const deciding = await governanceMembers(provider)
    const known = existsSync(file)
      ? deploymentSchema.parse(JSON.parse(readFileSync(file, 'utf8'))).address
      : undefined
    let address = known
    if (address === undefined || (await provider.getCode(address)) === '0x') {
      const accounts = await Promise.all(MEMBERS.map((account) => provider.getSigner(account)))
      const members = accounts.map((account) => account.address)
      const deployment = await deployGovernance(accounts[0]!, members, THRESHOLD)
      writeFileSync(file, `${JSON.stringify(deployment)}\n`, { flush: true })
      address = deployment.address
    }
    const governance = new Contract(address, governanceAbi, provider)
    const subject = `0x${composeHash}`
    const isAllowed: boolean = await governance.getFunction('allowedComposeHashes')(subject)
    if (!isAllowed) await makeChange(address, 'allowComposeHash', subject, deciding)
    return address
  } finally {
    provider.destroy()
  }
}
