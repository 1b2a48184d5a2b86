import { addressBytes } from './client-network.ts'

/** Addresses that begin with the first `prefix` bits of `bytes`, of which IPv4 has four and IPv6 sixteen. */
export type Network = { bytes: readonly number[]; prefix: number }

/**
 * Parses a network in CIDR notation (RFC 4632, RFC 4291), or a single address.
 * @returns undefined if the text is malformed, has bits after the prefix, a zone, or is an IPv4-mapped IPv6 network
 */
export function parseNetwork(text: string): Network | undefined {
  const [address = '', length, ...rest] = text.split('/')
  if (rest.length > 0 || address.includes('%') || /^::ffff:/i.test(address)) return undefined
  const bytes = addressBytes(address)
  if (!bytes) return undefined
  // An IPv6 spelling of an IPv4-mapped address, such as 0:0:0:0:0:ffff:7f00:1.
  if (bytes.length === 4 && address.includes(':')) return undefined
  const bits = bytes.length * 8
  if (length !== undefined && !/^(0|[1-9]\d{0,2})$/.test(length)) return undefined
  const prefix = length === undefined ? bits : Number(length)
  if (prefix > bits || bytes.some((byte, at) => (byte & ~mask(prefix, at)) !== 0)) return undefined
  return { bytes, prefix }
}

/** An IPv4-mapped IPv6 address counts as IPv4. */
export function isInNetwork({ bytes, prefix }: Network, address: string): boolean {
  const own = addressBytes(address)
  return (
    own?.length === bytes.length &&
    bytes.every((byte, at) => byte === ((own[at] ?? 0) & mask(prefix, at)))
  )
}

/** The bits of the byte at this position that belong to a prefix. */
function mask(prefix: number, at: number): number {
  const bits = Math.min(8, Math.max(0, prefix - at * 8))
  return (0xff << (8 - bits)) & 0xff
}
