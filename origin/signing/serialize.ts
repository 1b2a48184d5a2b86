import { encodeRlp, type RlpStructuredData, toBeHex } from 'ethers'
import type { Transaction } from '../../shared/policies/transaction.ts'

type Item = bigint | string | readonly Item[]

/**
 * Serializes a transaction as 0x hex (EIP-155, EIP-2930, EIP-1559; EIP-4844 without the blobs).
 * @param signature 65 bytes as 0x hex. If omitted, returns the unsigned form, whose hash is signed
 */
export function serializeTransaction(transaction: Transaction, signature?: string): string {
  const { type, chainId } = transaction
  const fields = fieldsOf(transaction)
  if (signature !== undefined) {
    const [r, s] = [signature.slice(0, 66), `0x${signature.slice(66, 130)}`]
    const parity = signature.endsWith('1c') ? 1n : 0n
    const legacyV = (chainId === 0n ? 27n : 35n + 2n * chainId) + parity
    fields.push(type === 0 ? legacyV : parity, BigInt(r), BigInt(s))
  } else if (type === 0 && chainId !== 0n) fields.push(chainId, 0n, 0n)
  const encoded = encodeRlp(rlpOf(fields))
  return type === 0 ? encoded : `0x0${type}${encoded.slice(2)}`
}

function fieldsOf(transaction: Transaction): Item[] {
  const { type, chainId, nonce, to, value, data, gasLimit, accessList = [] } = transaction
  const { gasPrice = 0n, maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = transaction
  const call = [gasLimit, to ?? '0x', value, data]
  if (type === 0) return [nonce, gasPrice, ...call]
  const prices = type === 1 ? [gasPrice] : [maxPriorityFeePerGas, maxFeePerGas]
  const entries = accessList.map(({ address, storageKeys }) => [address, storageKeys])
  const fields: Item[] = [chainId, nonce, ...prices, ...call, entries]
  if (type < 3) return fields
  const { maxFeePerBlobGas = 0n, blobVersionedHashes = [] } = transaction
  return [...fields, maxFeePerBlobGas, blobVersionedHashes]
}

function rlpOf(item: Item): RlpStructuredData {
  if (typeof item === 'bigint') return item === 0n ? '0x' : toBeHex(item)
  return typeof item === 'string' ? item : item.map(rlpOf)
}
