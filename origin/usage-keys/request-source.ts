import { isInNetwork, parseNetwork } from '../../shared/network/networks.ts'
import {
  AddressNotAllowedError,
  type KeyLimits,
  KeyNotForTriggersError,
  OriginNotAllowedError,
} from './key-limits.ts'

export type RequestSource = {
  /** The `Origin` header. Null if the request has none. */
  origin: string | null
  /** Address of the client. Empty if unknown. */
  address: string
}

/**
 * Requires that a request comes from an allowed origin and address. Only browsers send a truthful `Origin`, so allowed
 * origins restrict other websites, and not programs.
 * @throws {OriginNotAllowedError | AddressNotAllowedError}
 */
export function requireAllowedSource(
  { allowedOrigins, allowedIps }: KeyLimits,
  { origin, address }: RequestSource,
): void {
  if (allowedOrigins && !(origin !== null && allowedOrigins.includes(origin)))
    throw new OriginNotAllowedError(origin)
  if (allowedIps && !isInAny(allowedIps, address)) throw new AddressNotAllowedError(address)
}

function isInAny(networks: readonly string[], address: string): boolean {
  return networks.some((text) => {
    const network = parseNetwork(text)
    return network !== undefined && isInNetwork(network, address)
  })
}

/** Whoever sees a key in a web page could otherwise put it into a trigger, whose runs have neither origin nor address. */
export function isRefusedForTriggers({
  allowedOrigins,
  allowedIps,
  allowTriggers,
}: KeyLimits): boolean {
  return (allowedOrigins !== undefined || allowedIps !== undefined) && allowTriggers !== true
}

/** @throws {KeyNotForTriggersError} */
export function requireForTriggers(limits: KeyLimits | undefined): void {
  if (limits && isRefusedForTriggers(limits)) throw new KeyNotForTriggersError()
}
