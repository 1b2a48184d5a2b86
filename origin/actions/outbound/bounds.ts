/** Limits of one outbound request. Documented limits are in `shared/limits.ts`. */

/**
 * Concurrent requests of one run. Further requests wait. More would let an action flood other servers from our network.
 */
export const CONCURRENT_MAX = 10

/**
 * Addresses per family to which a connection is tried. With many, the owner of a name could turn one request into a
 * port scan.
 */
export const ADDRESSES_PER_FAMILY = 2

/**
 * Part of a redirect's body that is read so that the connection can be reused. Beyond these limits, a new connection is
 * cheaper.
 */
export const DISCARD_MS = 1_000
export const DISCARD_BYTES = 65_536

/** Total size of the header fields of one request or response. Servers commonly allow 8 to 32 KiB. */
export const HEADER_BYTES_MAX = 32_768

/** Needed in addition to the size limit, because even a one-byte field has a memory overhead. */
export const HEADER_FIELDS_MAX = 256

/** Informational responses, such as 103 Early Hints, to one request. */
export const INFORMATIONAL_MAX = 10

/** Encodings of one response: one applied by the server, and one by a proxy in front of it. */
export const ENCODINGS_MAX = 2

/** A tenth above the limit on decoded bodies, because encoding makes incompressible data slightly larger. */
export const ENCODED_MAX_BYTES = 1_100_000

/** Allows for one lost query within the connect timeout. */
export const DNS_TIMEOUT_MS = 2_500
export const DNS_TRIES = 2

/** Milliseconds. */
export type OutboundTimeouts = { connect: number; answer: number; idle: number }

export const DEFAULT_TIMEOUTS: OutboundTimeouts = {
  /** TCP and TLS handshakes together. Even after three lost handshake packets, the retransmissions take only 7 s. */
  connect: 10_000,
  /** Until a response starts. Proxies in front of slow services also give up after 100 s. */
  answer: 100_000,
  /** Between two parts of a response. The run's own deadline stops a response that arrives very slowly. */
  idle: 30_000,
}
