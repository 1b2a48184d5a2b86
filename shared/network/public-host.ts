/** Special-use domains (RFC 6761, RFC 6762, RFC 8375, RFC 9476), and names that are common in private networks. */
const PRIVATE_DOMAIN =
  /(^|\.)(localhost|local|internal|intranet|private|corp|home|lan|invalid|test|example|onion|alt|home\.arpa)\.?$/

/** IP addresses: `URL` normalizes all forms of IPv4, such as `0x7f.1`, to digits and dots. */
const ADDRESS = /^(\[.*\]|[\d.]+)$/

/**
 * Returns true for a name that can be a host of the internet. Addresses and private names are refused, because the
 * service must not send requests into a network (SSRF). On Workers, a name cannot resolve to a private address.
 * @param hostname host name of a parsed URL
 */
export function isPublicHostName(hostname: string): boolean {
  return hostname.includes('.') && !ADDRESS.test(hostname) && !PRIVATE_DOMAIN.test(hostname)
}
