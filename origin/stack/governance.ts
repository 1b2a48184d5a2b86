import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Contract, type JsonRpcProvider, type JsonRpcSigner } from 'ethers'
import { governanceAbi } from '../../shared/abi/governance.ts'
import { makeChange } from '../contracts/governance/change.ts'
import { deployGovernance } from '../contracts/governance/deploy.ts'
import { simulatedAppCompose } from '../tee/simulated-app-compose.ts'
import { deploymentSchema, openLocalChain } from './chain.ts'

/**
 * Indexes of the anvil accounts that are members of the governance. Account 0 is not a member, because it owns the
 * account contract.
 */
const MEMBERS = [1, 2, 3]
const THRESHOLD = 2

export function governanceMembers(provider: JsonRpcProvider): Promise<JsonRpcSigner[]> {
  return Promise.all(MEMBERS.slice(0, THRESHOLD).map((account) => provider.getSigner(account)))
}

/**
 * Deploys the governance contract at the first start, or if it is missing from the chain. Previously allowed hashes
 * stay allowed, as in production, where they permit a rollback.
 * @param composeHash 32 bytes in hex
 * @returns the contract's address in 0x hex, which is also the application's ID
 */
export async function ensureGovernance(
  stateDir: string,
  rpcUrl: string,
  composeHash: string,
): Promise<string> {
  const file = join(stateDir, 'chain', 'governance.json')
  const provider = openLocalChain(rpcUrl)
  try {
    const signers = await governanceMembers(provider)
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
    if (!isAllowed) await makeChange(address, 'allowComposeHash', subject, signers)
    return address
  } finally {
    provider.destroy()
  }
}

/** Governance address in 0x hex, and path of the compose text that the governance members have allowed. */
export type LocalApp = { governance: string; composeFile: string }

/**
 * The text is read once and stored for the origin, so that the origin reports exactly the text that was allowed.
 * @param composeFile path of a different compose text (`SVC_APP_COMPOSE_FILE`)
 */
export async function ensureApp(
  stateDir: string,
  rpcUrl: string,
  composeFile: string | undefined,
): Promise<LocalApp> {
  const text = simulatedAppCompose(composeFile, 'local')
  const kept = join(stateDir, 'app-compose.json')
  writeFileSync(kept, text)
  const composeHash = createHash('sha256').update(text).digest('hex')
  const governance = await ensureGovernance(stateDir, rpcUrl, composeHash)
  return { governance, composeFile: kept }
}
