/** Returns true for a loopback host. @param hostname host name or address of a URL (RFC 6761, section 6.3) */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/i.test(hostname)
}
