/** Whether a host name or an address, as URLs have them, is this machine's own (RFC 6761, 6.3). */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/i.test(hostname)
}
