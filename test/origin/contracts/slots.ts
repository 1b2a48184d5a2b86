/** Where the contract's storage lies, computed from the rules of Solidity and ERC-7201 and not from its source. */
import { AbiCoder, concat, id, keccak256, toBeHex, toUtf8Bytes } from 'ethers'

export const word = (value: bigint): string => toBeHex(value, 32)

/** ERC-7201: the formula of a namespace's first slot. */
export function namespaceSlot(namespace: string): bigint {
  const inner = AbiCoder.defaultAbiCoder().encode(['uint256'], [BigInt(id(namespace)) - 1n])
  return BigInt(keccak256(inner)) & ~0xffn
}

/** The first slot of `AccountConfigStorage.Layout`. */
export const base = namespaceSlot('svc.storage.AccountConfig')

/** Where a mapping at `slot` keeps the value of `key`. */
export function slotOf(key: bigint | string, slot: bigint): bigint {
  const start = typeof key === 'string' ? toUtf8Bytes(key) : word(key)
  return BigInt(keccak256(concat([start, word(slot)])))
}
