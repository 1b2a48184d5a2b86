import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'

/** An address with the capitals that check it (EIP-55). @param address 0x and 40 hex digits, in any case */
export function checksummed(address: string): string {
  const digits = address.slice(2).toLowerCase()
  const hash = bytesToHex(keccak_256(utf8ToBytes(digits)))
  const upper = (digit: string, at: number) => (hash[at]! >= '8' ? digit.toUpperCase() : digit)
  return `0x${[...digits].map(upper).join('')}`
}

/** What is wrong with the address of a contract, and what to send instead; `undefined` where nothing is. */
export function wrongInAddress(address: unknown): { problem: string; fix: string } | undefined {
  const fix = 'Send the contract’s address: 0x and 40 hex digits.'
  if (address === undefined) return { problem: 'it is missing', fix }
  if (typeof address !== 'string') return { problem: 'expected a string', fix }
  if (!/^0x[0-9a-fA-F]{40}$/.test(address)) return { problem: 'expected 0x and 40 hex digits', fix }
  if (/^0x0{40}$/.test(address)) return { problem: 'no contract is at the zero address', fix }
  // All in one case it has no checksum (EIP-55).
  const digits = address.slice(2)
  const isMixed = digits !== digits.toLowerCase() && digits !== digits.toUpperCase()
  if (!isMixed || address === checksummed(address)) return undefined
  return {
    problem: `its checksum is wrong: with these digits it is ${checksummed(address)}`,
    fix: 'Compare the address with its source: a digit or a capital was changed.',
  }
}
