/** Contract wallets on a test chain: one with an owner that signs for it, and hostile ones. */
import { ContractFactory, type Signer } from 'ethers'
import { compileFolder } from '../../../origin/contracts/compile.ts'

/** In the order of `HostileWallet.Way`. */
export const HOSTILE_WAYS = [
  'says yes to everything',
  'reverts',
  'reverts with the magic value',
  'answers another value',
  'answers the magic value and more in the same word',
  'answers four bytes',
  'answers two words',
  'answers nothing',
  'answers a megabyte',
  'loops for ever',
  'writes before it says yes',
] as const

export type HostileWay = (typeof HOSTILE_WAYS)[number]

let compiled: ReturnType<typeof compileFolder> | undefined

async function deploy(signer: Signer, name: string, ...args: unknown[]): Promise<string> {
  compiled ??= compileFolder(new URL('.', import.meta.url), ['OwnedWallet', 'HostileWallet'])
  const { abi, bytecode } = compiled[name]!
  const contract = await new ContractFactory(abi, bytecode, signer).deploy(...args)
  await contract.waitForDeployment()
  return contract.getAddress()
}

/** @returns the address of a wallet that `owner` signs for, and sends from with `execute(target, data)` */
export const deployOwnedWallet = (signer: Signer, owner: string) =>
  deploy(signer, 'OwnedWallet', owner)

export const deployHostileWallet = (signer: Signer, way: HostileWay) =>
  deploy(signer, 'HostileWallet', HOSTILE_WAYS.indexOf(way))
