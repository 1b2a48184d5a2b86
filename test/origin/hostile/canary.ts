import { encodeBase58, sha256 } from 'ethers'
import type { Capability } from '../../../origin/actions/run.ts'

/** A unique private key: any occurrence of one of its spellings is a leak. */
export const CANARY = '0x5ca1ab1e0ddba11c0ffee5eedfacade5b01dface0ff1ce5c0de5ca1ab1e7ea5e'

/** Returns the canary for every key operation of a run, except for the wallet `refused`. */
export const CANARY_KEYS: Capability = {
  keyOperation: (operation) =>
    'pkpId' in operation && operation.pkpId === 'refused'
      ? Promise.reject(new Error('the wallet is refused'))
      : Promise.resolve(CANARY),
}

/** Returns every form in which a program may have written a key or half of it. */
export function spellings(key: string): Map<string, Buffer> {
  const hex = key.replace('0x', '').toLowerCase()
  const raw = Buffer.from(hex, 'hex')
  const base64 = raw.toString('base64')
  const texts: Record<string, string> = {
    hex,
    'upper-case hex': hex.toUpperCase(),
    'the first half in hex': hex.slice(0, 32),
    'the second half in hex': hex.slice(32),
    // Without the last characters, which depend on the bytes that follow.
    base64: base64.slice(0, 42),
    base64url: raw.toString('base64url').slice(0, 42),
    'base64 of the hex': Buffer.from(hex).toString('base64').slice(0, 80),
    'base64 of 0x and the hex': Buffer.from(`0x${hex}`).toString('base64').slice(0, 80),
    decimal: BigInt(`0x${hex}`).toString(),
    'bytes with commas': [...raw].join(','),
    'bytes with commas and spaces': [...raw].join(', '),
    'bytes in hex with spaces': [...raw]
      .map((byte) => byte.toString(16).padStart(2, '0'))
      .join(' '),
    'hex of the hex': Buffer.from(hex).toString('hex'),
    reversed: [...hex].toReversed().join(''),
    WIF: wif(`80${hex}`),
    'WIF of a compressed public key': wif(`80${hex}01`),
  }
  const all = new Map(Object.entries(texts).map(([name, text]) => [name, Buffer.from(text)]))
  all.set('raw bytes', raw)
  all.set('raw bytes, reversed', Buffer.from([...raw].toReversed()))
  all.set('UTF-16', Buffer.from(hex, 'utf16le'))
  return all
}

/** Base58Check, the wallet import format of Bitcoin. */
function wif(hex: string): string {
  const checksum = sha256(sha256(`0x${hex}`)).slice(2, 10)
  return encodeBase58(`0x${hex}${checksum}`)
}

/** Returns the spellings of a key that occur in these bytes. */
export function leaksIn(bytes: Uint8Array | string, key: string): string[] {
  const haystack = typeof bytes === 'string' ? Buffer.from(bytes) : Buffer.from(bytes)
  return [...spellings(key)].filter(([, text]) => haystack.includes(text)).map(([name]) => name)
}
