/**
 * Computes the storage locations of the contract from the rules of Solidity and ERC-7201, independently of its source.
 */
import { AbiCoder, concat, id, keccak256, toBeHex, toUtf8Bytes } from 'ethers'

export const word = (value: bigint): string => toBeHex(value, 32)

/** Returns the first slot of a namespace, by the formula of ERC-7201. */
export function namespaceSlot(namespace: string): bigint {
  const inner = AbiCoder.defaultAbiCoder().encode(['uint256'], [BigInt(id(namespace)) - 1n])
  return BigInt(keccak256(inner)) & ~0xffn
}

/** The first slot of `AccountConfigStorage.Layout`. */
export const base = namespaceSlot('svc.storage.AccountConfig.2')

/** Returns the slot of the value of `key` in the mapping at `slot`. */
export function slotOf(key: bigint | string, slot: bigint): bigint {
  const start = typeof key === 'string' ? toUtf8Bytes(key) : word(key)
  return BigInt(keccak256(concat([start, word(slot)])))
}
