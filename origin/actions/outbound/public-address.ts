import { BlockList, isIP } from 'node:net'

/**
 * Non-public IPv4 ranges: those in IANA's IPv4 Special-Purpose Address Registry, multicast, and an address used within
 * Azure.
 */
const NOT_PUBLIC_V4: readonly [network: string, bits: number][] = [
  ['0.0.0.0', 8], // this network
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // carrier NAT; some clouds' metadata (100.100.100.200)
  ['127.0.0.0', 8], // loopback
  ['168.63.129.16', 32], // Azure's host, as seen from inside Azure
  ['169.254.0.0', 16], // link-local; metadata (169.254.169.254)
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments; metadata (192.0.0.192)
  ['192.0.2.0', 24], // documentation
  ['192.31.196.0', 24], // AS112 anycast: the nearest instance may be a private one
  ['192.52.193.0', 24], // AMT anycast: the nearest instance may be a private one
  ['192.88.99.0', 24], // 6to4 relays
  ['192.168.0.0', 16], // private
  ['192.175.48.0', 24], // AS112 anycast
  ['198.18.0.0', 15], // benchmarking
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, and broadcast
]

/**
 * The only globally routed IPv6 range. It excludes mapped, translated, unique local, link-local, site-local and
 * multicast addresses.
 */
const GLOBAL_UNICAST_V6: readonly [network: string, bits: number] = ['2000::', 3]

/** Non-public ranges within 2000::/3 (IANA's IPv6 Special-Purpose Address Registry). */
const NOT_PUBLIC_V6: readonly [network: string, bits: number][] = [
  ['2001::', 23], // protocol assignments: Teredo, benchmarking, ORCHID
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4: contains an IPv4 address
  ['2620:4f:8000::', 48], // AS112 anycast
  ['3fff::', 20], // documentation
]

const notPublic = new BlockList()
for (const [network, bits] of NOT_PUBLIC_V4) notPublic.addSubnet(network, bits, 'ipv4')
for (const [network, bits] of NOT_PUBLIC_V6) notPublic.addSubnet(network, bits, 'ipv6')
const globalUnicast = new BlockList()
globalUnicast.addSubnet(...GLOBAL_UNICAST_V6, 'ipv6')

/**
 * True if an IP address leads to the same host from everywhere on the internet. False for an address with a zone ID,
 * and for text that is not an address.
 */
export function isPublicAddress(address: string): boolean {
  if (address.includes('%')) return false
  switch (isIP(address)) {
    case 4:
      return !notPublic.check(address, 'ipv4')
    case 6:
      return globalUnicast.check(address, 'ipv6') && !notPublic.check(address, 'ipv6')
    default:
      return false
  }
}
