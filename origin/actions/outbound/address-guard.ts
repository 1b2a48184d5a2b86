import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { canonicalAddress } from './host-port.ts'
import { fewOf, NameError, type NameResolver } from './name-resolver.ts'
import { OutboundError } from './outbound-error.ts'
import type { OutboundPolicy } from './policy.ts'
import { isLocalName, type Target } from './target.ts'

/** Checks whether a host and port may be reached, and at which addresses. Used once per host and port of each run. */
export class AddressGuard {
  readonly #policy: OutboundPolicy
  readonly #names: NameResolver
  readonly #isPublic: (address: string) => boolean
  #ofThisMachine: ReadonlySet<string> | undefined

  /** @param isPublic returns true if anyone may reach the address */
  constructor(policy: OutboundPolicy, names: NameResolver, isPublic: (address: string) => boolean) {
    this.#policy = policy
    this.#names = names
    this.#isPublic = isPublic
  }

  /**
   * Returns the addresses that may be connected to. The name must not be resolved again. A single non-public address
   * rejects the name, even if others are public: no honest name has both, and the address that is connected to would
   * depend on which one responds.
   * @throws {OutboundError}
   */
  async admit(target: Target): Promise<readonly string[]> {
    const { host, port, named } = target
    const isAllowed = this.#policy.allow.some((entry) => entry.host === host && entry.port === port)
    const isAddress = isIP(host) !== 0
    if (!isAllowed && isAddress && !this.#isForeignAndPublic(host)) throw notPublic(named)
    if (!isAllowed && isLocalName(host)) throw localName(named)
    if (this.#isOwnName(target, isAllowed)) throw ownService(named)
    if (isAddress) {
      await this.#refuseOwn(target, [host])
      return [host]
    }
    const addresses = await this.#resolve(target, isAllowed)
    if (!isAllowed && !addresses.every((address) => this.#isForeignAndPublic(address)))
      throw new OutboundError(
        `${named} resolves to an address that is not public: actions reach public hosts only`,
      )
    await this.#refuseOwn(target, addresses)
    return fewOf(addresses)
  }

  /** A host of our own is refused at its other ports too, unless the operator allows exactly that port. */
  #isOwnName({ host, port }: Target, isAllowed: boolean): boolean {
    return this.#policy.deny.some(
      (own) => own.host === host && (own.port === null || own.port === port || !isAllowed),
    )
  }

  async #resolve({ host, named }: Target, isAllowed: boolean): Promise<string[]> {
    try {
      // An allowed name may be defined in the hosts file of a developer's machine.
      if (!isAllowed) return await this.#names.addresses(host)
      return (await lookup(host, { all: true })).map(({ address }) => address)
    } catch (error) {
      throw new OutboundError(
        error instanceof NameError && !error.isUnknown
          ? `the name servers did not answer for ${named}`
          : `${named} does not resolve to an address`,
      )
    }
  }

  #isForeignAndPublic(address: string): boolean {
    const canonical = canonicalAddress(address)
    return canonical !== undefined && this.#isPublic(canonical) && !this.#own().has(canonical)
  }

  /** Public addresses of this machine. Connecting to one of them would bypass the firewall. */
  #own(): ReadonlySet<string> {
    this.#ofThisMachine ??= new Set(
      Object.values(networkInterfaces()).flatMap((all) =>
        (all ?? []).flatMap(({ address, internal }) => {
          const canonical = internal ? undefined : canonicalAddress(address)
          return canonical === undefined ? [] : [canonical]
        }),
      ),
    )
    return this.#ofThisMachine
  }

  /** Refuses a host that resolves to an address of one of our own services. */
  async #refuseOwn({ port, named }: Target, addresses: readonly string[]): Promise<void> {
    const wanted = new Set(addresses.map(canonicalAddress))
    const rivals = this.#policy.deny.filter((own) => own.port === port)
    const found = await Promise.all(rivals.map(({ host }) => this.#ownAddresses(host)))
    if (found.flat().some((address) => wanted.has(canonicalAddress(address))))
      throw ownService(named)
  }

  /**
   * Returns no addresses if an own service does not resolve. It does not resolve for actions either, so denying its
   * name is enough.
   */
  async #ownAddresses(host: string): Promise<string[]> {
    if (isIP(host) !== 0) return [host]
    const local = () => lookup(host, { all: true }).then((all) => all.map(({ address }) => address))
    const ask = isLocalName(host) ? local() : this.#names.addresses(host)
    return ask.catch(() => [])
  }
}

function notPublic(named: string): OutboundError {
  return new OutboundError(`${named} is not a public address: actions reach public hosts only`)
}

function localName(named: string): OutboundError {
  return new OutboundError(`${named} is a name of a local network: actions reach public hosts only`)
}

function ownService(named: string): OutboundError {
  return new OutboundError(`${named} is a service of this deployment: actions cannot call it`)
}
