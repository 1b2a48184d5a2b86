import { isIPv4, isIPv6 } from 'node:net'

/**
 * Who counts as one client: an IPv4 address, or the /64 that an IPv6 address is in, since whoever has one address of
 * it has them all. An IPv4 address written as IPv6 is that IPv4 address. What is no address is a network of its own.
 */
export function clientNetwork(address: string): string {
  const plain = address.replace(/%.*$/, '')
  if (isIPv4(plain)) return plain
  if (!isIPv6(plain)) return ''
  const words = wordsOf(plain)
  const isMapped = words.slice(0, 5).every((word) => word === 0) && words[5] === 0xffff
  if (isMapped)
    return words
      .slice(6)
      .flatMap((word) => [word >> 8, word & 0xff])
      .join('.')
  return `${words
    .slice(0, 4)
    .map((word) => word.toString(16))
    .join(':')}::/64`
}

/** The eight words of an IPv6 address; `URL` writes an IPv4 tail as two of them. */
function wordsOf(address: string): number[] {
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [head = '', tail] = canonical.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0')
  return [...left, ...zeros, ...right].map((word) => Number.parseInt(word, 16))
}
