import { promises as dns } from 'node:dns'
import { ADDRESSES_PER_FAMILY, DNS_TIMEOUT_MS, DNS_TRIES } from './bounds.ts'

/** The name has no address, or its name servers did not answer. */
export class NameError extends Error {
  readonly isUnknown: boolean

  constructor(isUnknown: boolean) {
    super(isUnknown ? 'the name does not resolve' : 'the name servers did not answer')
    this.isUnknown = isUnknown
  }
}

/**
 * Queries the machine's name servers directly: no hosts file, no search domains, no multicast. Queries can be
 * cancelled, while the system's own lookup would occupy one of the process's four threads until it is done.
 */
export class NameResolver {
  readonly #resolver = new dns.Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES })

  /** @param servers name servers to use instead of the machine's, `address:port` */
  constructor(servers?: readonly string[]) {
    if (servers !== undefined) this.#resolver.setServers(servers)
  }

  /**
   * Returns every address of a name, IPv4 first.
   * @throws {NameError}
   */
  async addresses(name: string): Promise<string[]> {
    const found = await Promise.allSettled([
      this.#resolver.resolve4(name),
      this.#resolver.resolve6(name),
    ])
    const addresses = found.flatMap((part) => (part.status === 'fulfilled' ? part.value : []))
    if (addresses.length > 0) return addresses
    throw new NameError(found.every((part) => part.status === 'fulfilled' || saysNo(part.reason)))
  }

  cancel(): void {
    this.#resolver.cancel()
  }
}

/** Returns the first few addresses of each family. */
export function fewOf(addresses: readonly string[]): string[] {
  const family = (isV6: boolean) =>
    addresses.filter((address) => address.includes(':') === isV6).slice(0, ADDRESSES_PER_FAMILY)
  return [...family(false), ...family(true)]
}

const NO_SUCH_NAME = ['ENOTFOUND', 'ENODATA', 'EBADNAME', 'EBADQUERY', 'EFORMERR']

function saysNo(error: unknown): boolean {
  return error instanceof Error && 'code' in error && NO_SUCH_NAME.includes(String(error.code))
}
