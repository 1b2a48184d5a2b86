import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { canonicalAddress } from './host-port.ts'
import { fewOf, NameError, type NameResolver } from './name-resolver.ts'
import { OutboundError } from './outbound-error.ts'
import type { OutboundPolicy } from './policy.ts'
import { isLocalName, type Target } from './target.ts'

/** Decides, once for each host and port of a run, whether it may be reached, and at which addresses. */
export class AddressGuard {
  readonly #policy: OutboundPolicy
  readonly #names: NameResolver
  readonly #isPublic: (address: string) => boolean
  #ofThisMachine: ReadonlySet<string> | undefined

  /** `isPublic` says of an address whether anyone may reach it. */
  constructor(policy: OutboundPolicy, names: NameResolver, isPublic: (address: string) => boolean) {
    this.#policy = policy
    this.#names = names
    this.#isPublic = isPublic
  }

  /**
   * The addresses that a connection may be made to; the name must not be resolved again.
   * One address that is not public refuses the name, though others are: no honest name has both, and which one is
   * connected to would depend on which one answers.
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

  /** An own host is refused at its other ports too, unless the operator allows exactly that one. */
  #isOwnName({ host, port }: Target, isAllowed: boolean): boolean {
    return this.#policy.deny.some(
      (own) => own.host === host && (own.port === null || own.port === port || !isAllowed),
    )
  }

  async #resolve({ host, named }: Target, isAllowed: boolean): Promise<string[]> {
    try {
      // An allowed name may stand in the hosts file of the developer's machine.
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

  /** A public address of this machine leads to what listens on it, from behind the firewall. */
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

  /** Another name for an address of one of our own services. */
  async #refuseOwn({ port, named }: Target, addresses: readonly string[]): Promise<void> {
    const wanted = new Set(addresses.map(canonicalAddress))
    const rivals = this.#policy.deny.filter((own) => own.port === port)
    const found = await Promise.all(rivals.map(({ host }) => this.#ownAddresses(host)))
    if (found.flat().some((address) => wanted.has(canonicalAddress(address))))
      throw ownService(named)
  }

  /** What an own name does not resolve to for us, it does not resolve to for others: then its name is the rule. */
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
