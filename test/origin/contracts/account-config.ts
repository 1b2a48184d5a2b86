/** A deployed AccountConfig on a chain of its own, and the callers that the tests tell apart. */
import {
  Contract,
  getAddress,
  HDNodeWallet,
  id,
  Interface,
  isError,
  JsonRpcProvider,
  Mnemonic,
  solidityPackedKeccak256,
  toBeHex,
  toQuantity,
  Wallet,
} from 'ethers'
import type { BlockTag, Signer, TransactionReceipt } from 'ethers'
import { deployAccountConfig } from '../../../origin/contracts/deploy.ts'
import type { DeployedAccountConfig } from '../../../origin/contracts/deploy.ts'
import { accountConfigAbi } from '../../../shared/abi/account-config.ts'
import { startChain } from '../chain.ts'
import { word } from './slots.ts'

/** The mnemonic of anvil's funded accounts. */
const MNEMONIC = Mnemonic.fromPhrase('test test test test test test test test test test test junk')

/** 100 ether. */
const FUNDS = '0x56bc75e2d63100000'

/** 6,000,000: enough for the dearest write of 50 ids. */
const GAS = '0x5b8d80'

export const accountConfig = new Interface(accountConfigAbi)
export type AccountConfig = Awaited<ReturnType<typeof startAccountConfig>>

export async function startAccountConfig(nodeConfiguration?: Record<string, string>) {
  const chain = await startChain()
  const provider = new JsonRpcProvider(chain.rpcUrl, undefined, {
    staticNetwork: true,
    cacheTimeout: -1,
    pollingInterval: 20,
  })
  const wallet = (index: number) =>
    HDNodeWallet.fromMnemonic(MNEMONIC, `m/44'/60'/0'/0/${index}`).connect(provider)
  const [owner, payer, stranger] = [wallet(0), wallet(1), wallet(2)]
  const deployed: DeployedAccountConfig = await deployAccountConfig({
    provider,
    signer: owner,
    payers: [payer.address],
    ...(nodeConfiguration ? { nodeConfiguration } : {}),
  })
  const contract = new Contract(deployed.address, accountConfigAbi, provider)
  const bound = (caller: Signer, name: string) =>
    new Contract(deployed.address, accountConfigAbi, caller).getFunction(name)

  const write = async (
    caller: Signer,
    name: string,
    ...args: unknown[]
  ): Promise<TransactionReceipt> => {
    const receipt = await (await bound(caller, name).send(...args)).wait()
    if (!receipt) throw new Error(`${name}: no receipt`)
    return receipt
  }

  /** A managed account under a hash that `text` makes, with a wallet that nobody else has. */
  const newAccount = async (text: string) => {
    const hash = hashOf(text)
    await write(payer, 'newAccount', hash, addressOf(text), text, '')
    return hash
  }
  /** A wallet with ether that was never seen on this chain. */
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

    /** Sends writes of the payer together, in their order. Some may fail: the chain, not this, says what came of them. */
    sendAll: async (writes: readonly (readonly [string, ...unknown[]])[]) => {
      // No block in between: anvil may leave a transaction queued for ever whose predecessor is mined as it comes.
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
      // Their nonces put them in order: when the last is mined, all are.
      const last = hashes.at(-1) ?? ''
      while (!(await provider.getTransactionReceipt(last))) await provider.send('evm_mine', [])
      await provider.send('evm_setAutomine', [true])
      const receipts = hashes.map((hash) => provider.getTransactionReceipt(hash))
      return (await Promise.all(receipts)).filter((receipt) => receipt !== null)
    },

    /** What a write would answer, without sending it. */
    ask: (caller: Signer, name: string, ...args: unknown[]): Promise<unknown> =>
      bound(caller, name).staticCall(...args),

    /** Why the call is refused: the error's name and arguments; `undefined` when it is not. */
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

    /** Gives a managed account to a wallet. */
    convert: (accountHash: bigint, admin: string) =>
      write(payer, 'convertToChainSecuredAccount', accountHash, admin, id(`proof of ${admin}`)),

    /** An account of a fresh wallet's own. */
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

/** The hash of a key whose text is `text`. */
export const hashOf = (text: string): bigint => BigInt(id(text))

/** The hash by which a wallet names its account (specification, Authentication 7). */
export const hashOfWallet = (address: string): bigint =>
  BigInt(solidityPackedKeccak256(['address'], [address]))

/** The hash of an action's CID. */
export const cidHashOf = hashOf

/** A text that could be the CID of an action. */
export const cidOf = (text: string): string => `Qm${id(text).slice(2, 46)}`

/** What a write emitted: each event's name and values, in order. */
export const eventsOf = ({ logs }: TransactionReceipt): unknown[][] =>
  logs.map((log) => {
    const event = accountConfig.parseLog(log)
    if (!event) throw new Error(`a log that the ABI does not know: ${log.topics[0]}`)
    return [event.name, ...event.args.toArray(true)]
  })

/** An address that belongs to nobody. */
export const addressOf = (text: string): string => getAddress(`0x${id(text).slice(26)}`)

/** The pkp id of such an address. */
export const pkpIdOf = (text: string): string => toBeHex(addressOf(text), 32)

export const EVERY_WALLET = word(0n)

/** A usage key's permissions: none, but for those given. */
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
