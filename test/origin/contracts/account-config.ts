/** A deployed AccountConfig on a chain of its own, and the callers that the tests tell apart. */
import {
  Contract,
  HDNodeWallet,
  id,
  Interface,
  isError,
  JsonRpcProvider,
  Mnemonic,
  toBeHex,
} from 'ethers'
import type { Signer, TransactionReceipt } from 'ethers'
import { deployAccountConfig } from '../../../origin/contracts/deploy.ts'
import type { DeployedAccountConfig } from '../../../origin/contracts/deploy.ts'
import { accountConfigAbi } from '../../../shared/abi/account-config.ts'
import { startChain } from '../chain.ts'
import { base, slotOf, word } from './slots.ts'

/** The mnemonic of anvil's funded accounts. */
const MNEMONIC = Mnemonic.fromPhrase('test test test test test test test test test test test junk')

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
  const setStorage = (slot: bigint, value: bigint) =>
    provider.send('anvil_setStorageAt', [deployed.address, word(slot), word(value)])

  return {
    ...deployed,
    rpcUrl: chain.rpcUrl,
    provider,
    owner,
    payer,
    stranger,
    wallet,
    write,
    read: (name: string, ...args: unknown[]): Promise<any> => contract.getFunction(name)(...args),
    storage: async (slot: bigint) => BigInt(await provider.getStorage(deployed.address, slot)),
    setStorage,

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

    /** A managed account under a hash that `text` makes, with a wallet that nobody else has. */
    newAccount: async (text: string) => {
      const hash = hashOf(text)
      await write(payer, 'newAccount', hash, addressOf(text), text, '')
      return hash
    },

    /** Makes a managed account unmanaged, as a conversion would: by its storage. */
    makeUnmanaged: async (accountHash: bigint, admin: string) => {
      const slot = slotOf(accountHash, base)
      const kept = BigInt(await provider.getStorage(deployed.address, slot)) >> 168n
      await setStorage(slot, (kept << 168n) | BigInt(admin))
    },

    close: async () => {
      provider.destroy()
      await chain.close()
    },
  }
}

/** The hash of a key whose text is `text`. */
export const hashOf = (text: string): bigint => BigInt(id(text))

/** An address that belongs to nobody. */
export const addressOf = (text: string): string => `0x${id(text).slice(26)}`

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
