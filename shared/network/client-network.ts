/**
 * Returns the network that counts as one client: an IPv4 address, or the /64 of an IPv6 address. A client that controls
 * one address of a /64 controls all of its addresses. An IPv4-mapped IPv6 address counts as IPv4. Texts that are not
 * addresses share the network `''`.
 */
export function clientNetwork(address: string): string {
  const { bytes, words } = parseAddress(address)
  if (bytes) return bytes.join('.')
  return words ? `${hexWords(words.slice(0, 4))}::/64` : ''
}

/**
 * Returns the block of addresses that one party usually gets: the /24 of an IPv4 address, or the /48 of an IPv6 address
 * (RFC 6177). Otherwise like `clientNetwork`.
 */
export function clientSite(address: string): string {
  const { bytes, words } = parseAddress(address)
  if (bytes) return `${bytes.slice(0, 3).join('.')}.0/24`
  return words ? `${hexWords(words.slice(0, 3))}::/48` : ''
}

/**
 * Returns the 4 bytes of an IPv4 address, or the 16 bytes of an IPv6 address. An IPv4-mapped IPv6 address counts as IPv4.
 * Undefined if the text is not an address.
 */
export function addressBytes(address: string): number[] | undefined {
  const { bytes, words } = parseAddress(address)
  return bytes ?? words?.flatMap((word) => [word >> 8, word & 0xff])
}

const hexWords = (words: readonly number[]) => words.map((word) => word.toString(16)).join(':')

/** Returns the bytes of an IPv4 address, the words of an IPv6 address, or neither. */
function parseAddress(address: string): { bytes?: number[]; words?: number[] } {
  const plain = address.replace(/%.*$/, '')
  const bytes = ipv4Bytes(plain)
  if (bytes) return { bytes }
  const words = ipv6Words(plain)
  if (!words) return {}
  const isMapped = words.slice(0, 5).every((word) => word === 0) && words[5] === 0xffff
  return isMapped
    ? { bytes: words.slice(6).flatMap((word) => [word >> 8, word & 0xff]) }
    : { words }
}

/** Accepts only the canonical spelling. */
function ipv4Bytes(text: string): [number, number, number, number] | undefined {
  const parts = text.split('.')
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part)))
    return undefined
  const [a = 0, b = 0, c = 0, d = 0] = parts.map(Number)
  return Math.max(a, b, c, d) > 255 ? undefined : [a, b, c, d]
}

/** Parses an IPv6 address (RFC 4291, section 2.2). The last two of the eight words may be written as IPv4. */
function ipv6Words(text: string): number[] | undefined {
  const halves = withoutIpv4Tail(text)?.split('::')
  if (!halves || halves.length > 2) return undefined
  const [left = [], right] = halves.map((half) => (half === '' ? [] : half.split(':')))
  const zeros = 8 - left.length - (right?.length ?? 0)
  if (right ? zeros < 1 : zeros !== 0) return undefined
  const words = [...left, ...Array.from({ length: zeros }, () => '0'), ...(right ?? [])]
  if (!words.every((word) => /^[0-9a-f]{1,4}$/i.test(word))) return undefined
  return words.map((word) => Number.parseInt(word, 16))
}

function withoutIpv4Tail(text: string): string | undefined {
  if (!text.includes('.')) return text
  const at = text.lastIndexOf(':') + 1
  const bytes = ipv4Bytes(text.slice(at))
  if (!bytes || at === 0) return undefined
  const [a, b, c, d] = bytes
  return `${text.slice(0, at)}${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
}
