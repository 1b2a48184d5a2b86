import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { canonicalAddress } from './host-port.ts'
import { limitAddresses, NameError, type NameResolver } from './name-resolver.ts'
import { OutboundError } from './outbound-error.ts'
import type { OutboundPolicy } from './policy.ts'
import { isLocalName, type Target } from './target.ts'

/**
 * Decides whether an action may connect to a host and port, and to which addresses. Called once per host and port in
 * each run.
 */
export class AddressGuard {
  readonly #policy: OutboundPolicy
  readonly #names: Pick<NameResolver, 'addresses'>
  readonly #isPublic: (address: string) => boolean
  #machineAddresses: ReadonlySet<string> | undefined

  constructor(
    policy: OutboundPolicy,
    names: Pick<NameResolver, 'addresses'>,
    isPublic: (address: string) => boolean,
  ) {
    this.#policy = policy
    this.#names = names
    this.#isPublic = isPublic
  }

  /**
   * Returns the addresses at which the action may connect to the target. The caller must not resolve the name again.
   * Rejects a name with any non-public address, even if its other addresses are public: no legitimate name has both
   * kinds, and the address that is used would depend on which one responds.
   * @throws {OutboundError}
   */
  async admit(target: Target): Promise<readonly string[]> {
    const { host, port, named } = target
    const isAllowed = this.#policy.allow.some((entry) => entry.host === host && entry.port === port)
    const isAddress = isIP(host) !== 0
    if (!isAllowed && isAddress && !this.#isForeignAndPublic(host)) throw notPublicError(named)
    if (!isAllowed && isLocalName(host)) throw localNameError(named)
    if (this.#isOwnName(target, isAllowed)) throw ownServiceError(named)
    if (isAddress) {
      await this.#rejectOwnServices(target, [host])
      return [host]
    }
    const addresses = await this.#resolve(target, isAllowed)
    if (!isAllowed && !addresses.every((address) => this.#isForeignAndPublic(address)))
      throw new OutboundError(
        `${named} resolves to a non-public address; actions can reach only public hosts`,
      )
    await this.#rejectOwnServices(target, addresses)
    return limitAddresses(addresses)
  }

  /**
   * True if the target is one of our own services. A service's host is also refused at all other ports, unless the
   * operator allows the exact port.
   */
  #isOwnName({ host, port }: Target, isAllowed: boolean): boolean {
    return this.#policy.deny.some(
      (own) => own.host === host && (own.port === null || own.port === port || !isAllowed),
    )
  }

  async #resolve({ host, named }: Target, isAllowed: boolean): Promise<string[]> {
    try {
      // Resolve allowed names with the system, because they may be in the hosts file of a developer's machine.
      if (!isAllowed) return await this.#names.addresses(host)
      return (await lookup(host, { all: true })).map(({ address }) => address)
    } catch (error) {
      throw new OutboundError(
        error instanceof NameError && !error.isUnknown
          ? `the name servers did not respond for ${named}`
          : `${named} does not resolve to an address`,
      )
    }
  }

  #isForeignAndPublic(address: string): boolean {
    const canonical = canonicalAddress(address)
    return (
      canonical !== undefined && this.#isPublic(canonical) && !this.#localAddresses().has(canonical)
    )
  }

  /**
   * Returns the public addresses of this machine. Actions may not use them, because such connections would bypass the
   * firewall.
   */
  #localAddresses(): ReadonlySet<string> {
    this.#machineAddresses ??= new Set(
      Object.values(networkInterfaces()).flatMap((all) =>
        (all ?? []).flatMap(({ address, internal }) => {
          const canonical = internal ? undefined : canonicalAddress(address)
          return canonical === undefined ? [] : [canonical]
        }),
      ),
    )
    return this.#machineAddresses
  }

  async #rejectOwnServices({ port, named }: Target, addresses: readonly string[]): Promise<void> {
    const wanted = new Set(addresses.map(canonicalAddress))
    const samePortServices = this.#policy.deny.filter((own) => own.port === port)
    const found = await Promise.all(
      samePortServices.map(({ host }) => this.#serviceAddresses(host)),
    )
    if (found.flat().some((address) => wanted.has(canonicalAddress(address))))
      throw ownServiceError(named)
  }

  /**
   * Returns an empty list if the name does not resolve. The name then does not resolve for actions either, so denying
   * it by name is enough.
   */
  async #serviceAddresses(host: string): Promise<string[]> {
    if (isIP(host) !== 0) return [host]
    const local = () => lookup(host, { all: true }).then((all) => all.map(({ address }) => address))
    const ask = isLocalName(host) ? local() : this.#names.addresses(host)
    return ask.catch(() => [])
  }
}

function notPublicError(named: string): OutboundError {
  return new OutboundError(`${named} is not a public address; actions can reach only public hosts`)
}

function localNameError(named: string): OutboundError {
  return new OutboundError(`${named} is a local network name; actions can reach only public hosts`)
}

function ownServiceError(named: string): OutboundError {
  return new OutboundError(`${named} is a service of this deployment, which actions cannot call`)
}
