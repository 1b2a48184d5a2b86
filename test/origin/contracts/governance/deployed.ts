/** A governance contract with three members and a threshold of two, on its own chain. */
import {
  Contract,
  encodeBytes32String,
  Interface,
  isError,
  JsonRpcProvider,
  type Signer,
  Wallet,
  toBeHex,
  zeroPadValue,
} from 'ethers'
import { CHANGE_KIND, proposalIdFrom } from '../../../../origin/contracts/governance/change.ts'
import { deployGovernance } from '../../../../origin/contracts/governance/deploy.ts'
import { governanceAbi } from '../../../../shared/abi/governance.ts'
import { fundedKey, startChain } from '../../chain.ts'

const interfaceOf = new Interface(governanceAbi)

export const HASH = encodeBytes32String('a compose text')
export const OTHER_HASH = encodeBytes32String('another compose text')
export const wordOf = (value: string | number) =>
  typeof value === 'number' ? toBeHex(value, 32) : zeroPadValue(value, 32)

export async function startGovernance() {
  const chain = await startChain()
  const provider = new JsonRpcProvider(chain.rpcUrl, undefined, {
    staticNetwork: true,
    cacheTimeout: -1,
    pollingInterval: 20,
  })
  const wallet = (index: number) => new Wallet(fundedKey(index), provider)
  const deployer = wallet(0)
  const members = [wallet(1), wallet(2), wallet(3)] as const
  const addresses = members.map(({ address }) => address)

  const at = (address: string) => {
    const bound = (caller: Signer, name: string) =>
      new Contract(address, interfaceOf, caller).getFunction(name)
    const write = async (caller: Signer, name: string, ...args: unknown[]) => {
      const receipt = await (await bound(caller, name).send(...args)).wait()
      if (!receipt) throw new Error(`${name}: no receipt`)
      return receipt
    }
    const propose = async (caller: Signer, change: keyof typeof CHANGE_KIND, subject: string) =>
      proposalIdFrom(await write(caller, 'propose', CHANGE_KIND[change], subject))
    return {
      address,
      write,
      propose,
      read: (name: string, ...args: unknown[]): Promise<any> =>
        new Contract(address, interfaceOf, provider).getFunction(name)(...args),
      isAllowed: (hash: string): Promise<boolean> =>
        new Contract(address, interfaceOf, provider).getFunction('allowedComposeHashes')(hash),
      /** Returns the error name of a call, or `''` if the call succeeds. */
      refusal: async (caller: Signer, name: string, ...args: unknown[]) => {
        try {
          await bound(caller, name).staticCall(...args)
          return ''
        } catch (error) {
          if (!isError(error, 'CALL_EXCEPTION') || !error.data) throw error
          return interfaceOf.parseError(error.data)?.name ?? error.data
        }
      },
      /** Proposes a change as the first signer, approves it with all others, and executes it. */
      decide: async (change: keyof typeof CHANGE_KIND, subject: string, by: readonly Signer[]) => {
        const [first, ...others] = by
        const id = await propose(first!, change, subject)
        for (const other of others) await write(other, 'approve', id)
        await write(first!, 'execute', id)
        return id
      },
    }
  }

  return {
    provider,
    deployer,
    members,
    stranger: wallet(9),
    deploy: async (list: readonly string[] = addresses, threshold = 2) =>
      at((await deployGovernance(deployer, list, threshold)).address),
    close: async () => {
      provider.destroy()
      await chain.close()
    },
  }
}
