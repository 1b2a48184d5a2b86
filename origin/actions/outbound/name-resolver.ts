import { promises as dns } from 'node:dns'
import { ADDRESSES_PER_FAMILY, DNS_TIMEOUT_MS, DNS_TRIES } from './bounds.ts'

export class NameError extends Error {
  readonly isUnknown: boolean

  constructor(isUnknown: boolean) {
    super(isUnknown ? 'the name does not resolve' : 'the name servers did not respond')
    this.isUnknown = isUnknown
  }
}

/**
 * Resolves names by querying the machine's name servers directly, without the hosts file, search domains or multicast
 * DNS. Such queries can be cancelled, whereas a system lookup would occupy one of the process's four libuv threads
 * until it completes.
 */
export class NameResolver {
  readonly #resolver = new dns.Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES })

  /** @param servers name servers to use instead of the machine's, as `address:port` */
  constructor(servers?: readonly string[]) {
    if (servers !== undefined) this.#resolver.setServers(servers)
  }

  /**
   * The result contains IPv4 addresses first.
   * @throws {NameError}
   */
  async addresses(name: string): Promise<string[]> {
    const found = await Promise.allSettled([
      this.#resolver.resolve4(name),
      this.#resolver.resolve6(name),
    ])
    const addresses = found.flatMap((part) => (part.status === 'fulfilled' ? part.value : []))
    if (addresses.length > 0) return addresses
    throw new NameError(
      found.every((part) => part.status === 'fulfilled' || isUnknownName(part.reason)),
    )
  }

  cancel(): void {
    this.#resolver.cancel()
  }
}

export function limitAddresses(addresses: readonly string[]): string[] {
  const family = (isV6: boolean) =>
    addresses.filter((address) => address.includes(':') === isV6).slice(0, ADDRESSES_PER_FAMILY)
  return [...family(false), ...family(true)]
}

const NO_SUCH_NAME = ['ENOTFOUND', 'ENODATA', 'EBADNAME', 'EBADQUERY', 'EFORMERR']

function isUnknownName(error: unknown): boolean {
  return error instanceof Error && 'code' in error && NO_SUCH_NAME.includes(String(error.code))
}
