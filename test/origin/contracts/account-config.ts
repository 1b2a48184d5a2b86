/** A deployed AccountConfig on its own chain, and the callers that the tests distinguish. */
import {
  Contract,
  getAddress,
  id,
  Interface,
  isError,
  JsonRpcProvider,
  solidityPackedKeccak256,
  toBeHex,
  toQuantity,
  Wallet,
} from 'ethers'
import type { BlockTag, Signer, TransactionReceipt } from 'ethers'
import { deployAccountConfig } from '../../../origin/contracts/deploy.ts'
import type { DeployedAccountConfig } from '../../../origin/contracts/deploy.ts'
import { accountConfigAbi } from '../../../shared/abi/account-config.ts'
import { fundedKey, startChain } from '../chain.ts'
import { word } from './slots.ts'

/** 100 ether. */
const FUNDS = '0x56bc75e2d63100000'

/** 6,000,000 gas: enough for the most expensive write of 50 IDs. */
const GAS = '0x5b8d80'

export const accountConfig = new Interface(accountConfigAbi)
export type AccountConfig = Awaited<ReturnType<typeof startAccountConfig>>

export async function startAccountConfig(nodeConfiguration?: Record<string, string>) {
  const chain = await startChain()
  const provider = new JsonRpcProvider(chain.rpcUrl, undefined, {
    staticNetwork: true,
    cacheTimeout: -1,
    pollingInterval: 20,
    // Does not wait for more requests to send with one. By default, each request waits 10 ms.
    batchStallTime: 0,
  })
  const wallet = (index: number) => new Wallet(fundedKey(index), provider)
  const [owner, payer, stranger] = [wallet(0), wallet(1), wallet(2)]
  const deployed: DeployedAccountConfig = await deployAccountConfig({
    provider,
    signer: owner,
    payers: [payer.address],
    ...(nodeConfiguration ? { nodeConfiguration } : {}),
  })
  const contract = new Contract(deployed.address, accountConfig, provider)
  const bound = (caller: Signer, name: string) =>
    new Contract(deployed.address, accountConfig, caller).getFunction(name)

  const write = async (
    caller: Signer,
    name: string,
    ...args: unknown[]
  ): Promise<TransactionReceipt> => {
    const receipt = await (await bound(caller, name).send(...args)).wait()
    if (!receipt) throw new Error(`${name}: no receipt`)
    return receipt
  }

  /** Opens a managed account with a hash and a unique wallet derived from `text`. */
  const newAccount = async (text: string) => {
    const hash = hashOf(text)
    await write(payer, 'newAccount', hash, addressOf(text), text, '')
    return hash
  }
  /** Returns a funded wallet that is new to this chain. */
  const freshWallet = async () => {
    const fresh = Wallet.createRandom().connect(provider)
    await provider.send('anvil_setBalance', [fresh.address, FUNDS])
    return fresh
  }

  return {
    ...deployed,
    rpcUrl: chain.rpcUrl,
    provider,
    owner,
    payer,
    stranger,
    wallet,
    write,
    newAccount,
    freshWallet,
    read: (name: string, ...args: unknown[]): Promise<any> => contract.getFunction(name)(...args),
    readAt: (blockTag: BlockTag, name: string, ...args: unknown[]): Promise<any> =>
      contract.getFunction(name)(...args, { blockTag }),
    storage: async (slot: bigint) => BigInt(await provider.getStorage(deployed.address, slot)),

    /**
     * Sends writes of the payer as one batch, in order. Some may fail; the caller reads the outcomes from the chain.
     */
    sendAll: async (writes: readonly (readonly [string, ...unknown[]])[]) => {
      // Mines no block in between: anvil may keep a transaction queued forever if its predecessor is mined while it
      // arrives.
      await provider.send('evm_setIntervalMining', [0])
      const first = await payer.getNonce('latest')
      const hashes: string[] = await Promise.all(
        writes.map(([name, ...args], index) => {
          const data = accountConfig.encodeFunctionData(name, args)
          const call = { from: payer.address, to: deployed.address, data, gas: GAS }
          const nonce = toQuantity(first + index)
          return provider.send('eth_sendTransaction', [{ ...call, nonce }])
        }),
      )
      // Nonces fix the order: once the last transaction is mined, all are.
      const last = hashes.at(-1) ?? ''
      while (!(await provider.getTransactionReceipt(last))) await provider.send('evm_mine', [])
      await provider.send('evm_setAutomine', [true])
      const receipts = hashes.map((hash) => provider.getTransactionReceipt(hash))
      return (await Promise.all(receipts)).filter((receipt) => receipt !== null)
    },

    /** Returns the result of a write without sending it. */
    ask: (caller: Signer, name: string, ...args: unknown[]): Promise<unknown> =>
      bound(caller, name).staticCall(...args),

    /** Returns the error of a call as name and arguments, or `undefined` if the call succeeds. */
    refusal: async (
      caller: Signer,
      name: string,
      ...args: unknown[]
    ): Promise<unknown[] | undefined> => {
      try {
        await bound(caller, name).staticCall(...args)
        return undefined
      } catch (error) {
        if (!isError(error, 'CALL_EXCEPTION') || !error.revert) throw error
        return [error.revert.name, ...error.revert.args]
      }
    },

    /** Converts a managed account to a ChainSecured account of a wallet. */
    convert: (accountHash: bigint, admin: string) =>
      write(payer, 'convertToChainSecuredAccount', accountHash, admin, id(`proof of ${admin}`)),

    /** Opens a ChainSecured account of a new wallet. */
    newChainSecuredAccount: async () => {
      const admin = await freshWallet()
      await write(admin, 'newChainSecuredAccount', 'chain secured', '')
      return { admin, hash: hashOfWallet(admin.address) }
    },

    close: async () => {
      provider.destroy()
      await chain.close()
    },
  }
}

/** The hash of a key with this text. */
export const hashOf = (text: string): bigint => BigInt(id(text))

/** The hash of a ChainSecured account, derived from its wallet's address. */
export const hashOfWallet = (address: string): bigint =>
  BigInt(solidityPackedKeccak256(['address'], [address]))

export const cidHashOf = hashOf

/** A string in the form of an action's CID. */
export const cidOf = (text: string): string => `Qm${id(text).slice(2, 46)}`

/** The emitted events of a write: name and values, in order. */
export const eventsOf = ({ logs }: TransactionReceipt): unknown[][] =>
  logs.map((log) => {
    const event = accountConfig.parseLog(log)
    if (!event) throw new Error(`a log that the ABI does not know: ${log.topics[0]}`)
    return [event.name, ...event.args.toArray(true)]
  })

/** An address without an owner. */
export const addressOf = (text: string): string => getAddress(`0x${id(text).slice(26)}`)

/** The pkp id of `addressOf(text)`. */
export const pkpIdOf = (text: string): string => toBeHex(addressOf(text), 32)

export const EVERY_WALLET = word(0n)

/** The permissions of a usage key: only the given ones. */
export const usageKey = (granted: Record<string, unknown> = {}) => ({
  name: 'key',
  description: '',
  canCreateGroups: false,
  canDeleteGroups: false,
  canCreatePkps: false,
  manageIpfsIdsInGroups: [],
  addPkpToGroups: [],
  removePkpFromGroups: [],
  executeInGroups: [],
  ...granted,
})
