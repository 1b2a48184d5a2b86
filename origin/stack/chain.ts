import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { Contract, JsonRpcProvider, type JsonRpcSigner } from 'ethers'
import { z } from 'zod'
import { accountConfigAbi } from '../../shared/abi/account-config.ts'
import { PAYERS_DEFAULT } from '../../shared/limits.ts'
import { deployAccountConfig } from '../contracts/deploy.ts'
import { StorageLayoutError, upgradeAccountConfig } from '../contracts/upgrade.ts'
import { addressFromPrivateKey, type Keyring } from '../keys/keyring.ts'
import type { ChainState } from './chain-state.ts'
import { Child, ChildFailedError, type ChildOptions } from './child.ts'

export const LOCAL_CHAIN_ID = 31_337

/** Number of blocks until a block is final, with anvil's option `--slots-in-an-epoch=1`. */
export const LOCAL_FINALITY = 2

/** Number of payers, excluding the wallet that funds them. */
export const LOCAL_PAYERS = PAYERS_DEFAULT

/** Initial balance of each payer in wei (10,000 ether). Sufficient for all writes of a local stack. */
const PAYER_FUNDS = '0x21e19e0c9bab2400000'

/**
 * Interval in seconds at which anvil writes its state. The state is copied within two more seconds, so a kill loses at
 * most seven seconds of the chain.
 */
const STATE_INTERVAL_S = 5

/** Maximum number of historical states on disk, in addition to those in memory. Each takes 0.1 to 0.5 MB. */
const OLD_STATES_MAX = 128

/** Time that the chain has to stop. Writing the state of several months takes seconds, and the machine may be busy. */
const CHAIN_STOP_MS = 20_000

export type ChildHooks = Pick<ChildOptions, 'onLine' | 'onWait' | 'started'>

/**
 * Starts the chain. Its state is stored in the state folder, so that it survives if the process is killed
 * (`docs/decisions/0013`).
 * @param state the same object must be passed to every start with the same folder, so that two starts do not copy the
 *   folder's files at the same time
 * @throws {ChildFailedError} if anvil cannot be started
 */
export async function startChain(
  state: ChainState,
  port: number,
  hooks: ChildHooks & {
    /** Called with the child before the chain is ready, so that the child can be stopped during startup. */
    created(child: Child): void
  },
): Promise<{ rpcUrl: string }> {
  mkdirSync(state.folder, { recursive: true, mode: 0o700 })
  const oldStates = join(state.folder, 'old-states')
  rmSync(oldStates, { recursive: true, force: true })
  await state.recover((line) => hooks.onLine(line))
  const rpcUrl = `http://127.0.0.1:${port}`
  const child = new Child({
    name: 'chain',
    command: anvilBinary(),
    args: [
      `--port=${port}`,
      `--chain-id=${LOCAL_CHAIN_ID}`,
      '--block-time=1',
      '--mixed-mining',
      '--slots-in-an-epoch=1',
      `--state=${state.file}`,
      `--state-interval=${STATE_INTERVAL_S}`,
      // anvil's default folder is in the home folder, where thousands of files would accumulate because a kill does not
      // delete them.
      `--cache-path=${oldStates}`,
      `--max-persisted-states=${OLD_STATES_MAX}`,
      // Prevents web pages in the user's browser from accessing the chain. Its first account owns the contract.
      '--no-cors',
      '--silent',
    ],
    ipc: false,
    starts: 'loading its state',
    stopSignal: 'SIGINT',
    stopMs: CHAIN_STOP_MS,
    ...hooks,
  })
  hooks.created(child)
  child.onExit(() => void state.stop())
  state.watch()
  // Mine enough blocks to make one final. A chain with a loaded state has no earlier blocks, and the stack immediately
  // requests the state at a final block.
  const finality = `0x${LOCAL_FINALITY.toString(16)}`
  await child.pollUntilReady(async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'anvil_mine', params: [finality] })
    const headers = { 'content-type': 'application/json' }
    return (await fetch(rpcUrl, { method: 'POST', headers, body })).ok
  })
  return { rpcUrl }
}

/** The npm package's wrapper script does not forward signals. */
function anvilBinary(): string {
  const cpu = process.arch === 'x64' ? 'amd64' : process.arch
  const name = process.platform === 'win32' ? 'anvil.exe' : 'anvil'
  return createRequire(import.meta.url).resolve(
    `@foundry-rs/anvil-${process.platform}-${cpu}/bin/${name}`,
  )
}

/** Polls often, because the chain mines a block for each transaction immediately. */
export function openLocalChain(rpcUrl: string): JsonRpcProvider {
  return new JsonRpcProvider(rpcUrl, LOCAL_CHAIN_ID, {
    staticNetwork: true,
    cacheTimeout: -1,
    pollingInterval: 50,
  })
}

export const deploymentSchema = z.object({ address: z.string(), block: z.number() })
export type LocalContract = z.infer<typeof deploymentSchema>

/**
 * Deploys the account contract at the first start, or if it is missing from the chain.
 * @throws {ChildFailedError} if an earlier version deployed the contract with a different storage layout
 */
export async function ensureContract(
  stateDir: string,
  rpcUrl: string,
  keyring: Keyring,
): Promise<LocalContract> {
  const file = join(stateDir, 'chain', 'deployment.json')
  const provider = openLocalChain(rpcUrl)
  try {
    const payers = Array.from({ length: LOCAL_PAYERS + 1 }, (_, n) =>
      addressFromPrivateKey(keyring.payerKey(n)),
    )
    await provider.send('anvil_setBalance', [payers[0], PAYER_FUNDS])
    const signer = await provider.getSigner(0)
    const known = existsSync(file)
      ? deploymentSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
      : undefined
    if (known && (await provider.getCode(known.address)) !== '0x') {
      // Upgrade the contract, because an earlier version of this code may have deployed it.
      await upgradeAccountConfig({ provider, signer, address: known.address }).catch((error) => {
        if (error instanceof StorageLayoutError) refuseEarlierLayout(stateDir)
        throw error
      })
      await registerPayers(known.address, payers, signer)
      return known
    }
    const { address, block } = await deployAccountConfig({ provider, signer, payers })
    writeFileSync(file, `${JSON.stringify({ address, block })}\n`, { flush: true })
    return { address, block }
  } finally {
    provider.destroy()
  }
}

function refuseEarlierLayout(stateDir: string): never {
  throw new ChildFailedError(
    'chain',
    `has a contract that an earlier version deployed, and this version cannot read its accounts. Set SVC_STATE_DIR to a new folder, or delete ${stateDir} to start over without its wallets and accounts. To keep using them, run the earlier version`,
  )
}

/** An earlier version of this code may have deployed the contract with fewer payers. */
async function registerPayers(
  address: string,
  payers: readonly string[],
  owner: JsonRpcSigner,
): Promise<void> {
  const contract = new Contract(address, accountConfigAbi, owner)
  const known = await Promise.all(payers.map((payer) => contract.getFunction('isApiPayer')(payer)))
  const missing = payers.filter((_, index) => !known[index])
  if (missing.length === 0) return
  const transaction = await contract.getFunction('setApiPayers').send(missing, true)
  await transaction.wait()
}
