import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { Contract, JsonRpcProvider, type JsonRpcSigner } from 'ethers'
import { z } from 'zod'
import { accountConfigAbi } from '../../shared/abi/account-config.ts'
import { PAYERS_DEFAULT } from '../accounts/writer/payer-options.ts'
import { deployAccountConfig } from '../contracts/deploy.ts'
import { upgradeAccountConfig } from '../contracts/upgrade.ts'
import { addressOf, type Keyring } from '../keys/keyring.ts'
import type { ChainState } from './chain-state.ts'
import { Child, type ChildOptions } from './child.ts'

export const LOCAL_CHAIN_ID = 31_337

/** Blocks until finality, given `--slots-in-an-epoch=1`. */
export const LOCAL_FINALITY = 2

/** Number of wallets that pay for writes, in addition to the one that funds them. */
export const LOCAL_PAYERS = PAYERS_DEFAULT

/** 10,000 ether in wei: enough for every write that a local stack will ever send. */
const PAYER_FUNDS = '0x21e19e0c9bab2400000'

/**
 * Interval at which anvil writes its state, which is copied within two more seconds. A kill loses no more of the chain
 * than that.
 */
const STATE_INTERVAL_S = 5

/** Number of historical states kept on disk, in addition to those in memory; 0.1 to 0.5 MB each. */
const OLD_STATES_MAX = 128

/** Time for the chain's final write. The state of several months takes seconds, and the machine may be busy. */
const CHAIN_STOP_MS = 20_000

export type ChildHooks = Pick<ChildOptions, 'onLine' | 'onWait' | 'started'>

/**
 * Starts anvil with its state in the state folder, so that it survives a kill (`docs/decisions/0013`).
 * @param state shared by all starts in the folder, so that they do not copy its files at the same time
 * @throws {ChildFailed} if it cannot be started
 */
export async function startChain(
  state: ChainState,
  port: number,
  hooks: ChildHooks & {
    /** Called before the chain is ready, so that it can be stopped while it starts. */
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
      // The default is a folder in the user's home. It would collect thousands of files, which remain when anvil is
      // killed.
      `--cache-path=${oldStates}`,
      `--max-persisted-states=${OLD_STATES_MAX}`,
      // Pages in the user's browser must not reach the chain, because its first account owns the contract.
      '--no-cors',
      '--silent',
    ],
    ipc: false,
    starts: 'loads its state',
    stopSignal: 'SIGINT',
    stopMs: CHAIN_STOP_MS,
    ...hooks,
  })
  hooks.created(child)
  child.onEnd(() => state.stop())
  state.watch()
  // Mines blocks until one is final. A loaded state has no earlier blocks, and the state at a final block is requested
  // at once.
  const finality = `0x${LOCAL_FINALITY.toString(16)}`
  await child.answers(async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'anvil_mine', params: [finality] })
    const headers = { 'content-type': 'application/json' }
    return (await fetch(rpcUrl, { method: 'POST', headers, body })).ok
  })
  return { rpcUrl }
}

/** Returns the platform's own binary, because the wrapper of the package would not pass on signals. */
function anvilBinary(): string {
  const cpu = process.arch === 'x64' ? 'amd64' : process.arch
  const name = process.platform === 'win32' ? 'anvil.exe' : 'anvil'
  return createRequire(import.meta.url).resolve(
    `@foundry-rs/anvil-${process.platform}-${cpu}/bin/${name}`,
  )
}

/** Polls often, because the chain mines a block as soon as there is a transaction. */
export function openLocalChain(rpcUrl: string): JsonRpcProvider {
  return new JsonRpcProvider(rpcUrl, LOCAL_CHAIN_ID, {
    staticNetwork: true,
    cacheTimeout: -1,
    pollingInterval: 50,
  })
}

const deploymentSchema = z.object({ address: z.string(), block: z.number() })
export type Deployment = z.infer<typeof deploymentSchema>

/** Returns the contract of this folder's chain. Deploys it at the first start, or if the chain has lost it. */
export async function ensureContract(
  stateDir: string,
  rpcUrl: string,
  keyring: Keyring,
): Promise<Deployment> {
  const file = join(stateDir, 'chain', 'deployment.json')
  const provider = openLocalChain(rpcUrl)
  try {
    const payers = Array.from({ length: LOCAL_PAYERS + 1 }, (_, n) =>
      addressOf(keyring.payerKey(n)),
    )
    await provider.send('anvil_setBalance', [payers[0], PAYER_FUNDS])
    const signer = await provider.getSigner(0)
    const known = existsSync(file)
      ? deploymentSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
      : undefined
    if (known && (await provider.getCode(known.address)) !== '0x') {
      // The contract may have been deployed by an earlier version.
      await upgradeAccountConfig({ provider, signer, address: known.address })
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

/** Registers missing payers, because an earlier version may have deployed the contract with fewer. */
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
