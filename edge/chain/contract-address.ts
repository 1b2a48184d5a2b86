import { checksummedAddress } from './decoding/checksummed-address.ts'

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
  const checked = checksummedAddress(address.toLowerCase())
  if (!isMixed || address === checked) return undefined
  return {
    problem: `its checksum is wrong: with these digits it is ${checked}`,
    fix: 'Compare the address with its source: a digit or a capital was changed.',
  }
}
