/** The contract on a separate chain, writes sent directly to it, and mirrors of it. */
import { rmSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { id, type TransactionReceipt } from 'ethers'
import { accountConfig, type ContractChain, connectChain } from '../../../origin/accounts/chain.ts'
import { AccountsMirror, type MirrorOptions } from '../../../origin/accounts/mirror.ts'
import { SnapshotFile } from '../../../origin/accounts/mirror/snapshot-file.ts'
import { SnapshotScheduler } from '../../../origin/accounts/mirror/snapshot-scheduler.ts'
import { startContract } from './contract.ts'

/** Accounts that anvil signs for: the payer, and holders of ChainSecured accounts. */
export const WALLETS = [
  '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
  '0x90F79bf6EB2c4f870365E785982E1f101E93b906',
  '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65',
] as const
const PAYER = WALLETS[0]

export type Mirrored = Awaited<ReturnType<typeof startMirrored>>
export type MirrorUnderTest = Awaited<ReturnType<Mirrored['mirror']>>

let count = 0
/** Returns a unique hash. */
export const newHash = (): string => id(`hash ${++count}`)
/** Returns a unique address. */
export const newAddress = (): string => `0x${newHash().slice(26)}`

/** Permissions of a usage key. All of them are denied unless given. */
export const grants = (given: object = {}) => ({
  name: 'key',
  description: '',
  canCreateGroups: false,
  canDeleteGroups: false,
  canCreatePkps: false,
  manageIpfsIdsInGroups: [],
  addPkpToGroups: [],
  removePkpFromGroups: [],
  executeInGroups: [],
  ...given,
})

export async function startMirrored() {
  const contract = await startContract(PAYER)
  const { chain } = contract
  const mirrors: AccountsMirror[] = []
  const folder = mkdtempSync(join(tmpdir(), 'svc-mirror-'))

  const send = (from: string, name: string, args: unknown[]): Promise<string> => {
    const data = accountConfig.encodeFunctionData(name, args)
    return contract.send('eth_sendTransaction', [
      { from, to: chain.contractAddress, data, gas: '0x1c00000' },
    ])
  }
  const receiptOf = async (hash: string): Promise<TransactionReceipt> => {
    for (;;) {
      const receipt = await chain.provider.getTransactionReceipt(hash)
      if (receipt?.status === 0) throw new Error('the transaction was reverted')
      if (receipt) return receipt
      await sleep(5)
    }
  }

  const self = {
    ...contract,
    tip: () => chain.provider.getBlockNumber(),
    /** Connects to the same contract through other nodes. */
    through: (...urls: string[]): Promise<ContractChain> =>
      connectChain(urls, { address: chain.contractAddress, block: chain.contractBlock }),

    /** Sends a write and waits for its block. */
    write: async (name: string, ...args: unknown[]) => receiptOf(await send(PAYER, name, args)),
    /** Like `write`, but sent from the wallet of a ChainSecured account. */
    writeAs: async (wallet: string, name: string, ...args: unknown[]) =>
      receiptOf(await send(wallet, name, args)),
    /** Sends writes without waiting between them, then waits for all of their blocks. */
    writeAll: async (writes: readonly (readonly [string, ...unknown[]])[]) => {
      const hashes: string[] = []
      for (const [name, ...args] of writes) hashes.push(await send(PAYER, name, args))
      return Promise.all(hashes.map(receiptOf))
    },
    newAccount: async (name = 'name') => {
      const hash = newHash()
      await self.write('newAccount', hash, newAddress(), name, '')
      return hash
    },

    path: (name: string) => join(folder, name),
    /** Starts a mirror with a clock that a test can advance. By default, it polls the chain only on request. */
    mirror: async (options: Partial<MirrorOptions> & { start?: boolean } = {}) => {
      const clock = { aheadMs: 0 }
      const failures: unknown[] = []
      const mirror = new AccountsMirror({
        chain,
        pollMs: 1_000_000,
        now: () => performance.now() + clock.aheadMs,
        onFailure: (error) => failures.push(error),
        finality: 2,
        ...options,
      })
      mirrors.push(mirror)
      if (options.start !== false) await mirror.start()
      return { mirror, clock, failures }
    },
    /** Returns the snapshot file of that name and its keeper. */
    snapshots: (name: string, given: { key?: Uint8Array; chain?: ContractChain } = {}) => {
      const unusable: string[] = []
      const failures: unknown[] = []
      const of = given.chain ?? chain
      const file = new SnapshotFile({
        path: join(folder, name),
        key: given.key ?? new Uint8Array(32).fill(7),
        chainId: of.chainId,
        contractAddress: of.contractAddress,
        onUnusable: (reason) => unusable.push(reason),
      })
      const onFailure = (error: unknown) => failures.push(error)
      const keeper = new SnapshotScheduler({ file, now: () => performance.now(), onFailure })
      return { file, keeper, unusable, failures }
    },
    /** Stops all polling after a test. */
    closeMirrors: async () => {
      await Promise.all(mirrors.splice(0).map((mirror) => mirror.close()))
    },
    close: async () => {
      await self.closeMirrors()
      await contract.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  return self
}
