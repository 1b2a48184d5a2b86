/** Limits of one outbound request. Documented limits are in `shared/limits.ts`. */

/** Further requests wait. A higher limit would let an action flood other servers from our network. */
export const CONCURRENT_MAX = 10

/**
 * Number of addresses per family to which a connection is tried. If many were tried, the owner of a name could turn one
 * request into a port scan.
 */
export const ADDRESSES_PER_FAMILY = 2

/**
 * Limits on how much of a redirect's body is read so that the connection can be reused. Beyond these limits, a new
 * connection is cheaper.
 */
export const DISCARD_MS = 1_000
export const DISCARD_BYTES = 65_536

/** Maximum total size of the header fields of one request or response. Servers commonly allow 8 to 32 KiB. */
export const HEADER_BYTES_MAX = 32_768

/** Needed in addition to the size limit, because even a one-byte field has a memory overhead. */
export const HEADER_FIELDS_MAX = 256

/** Maximum number of informational responses, such as 103 Early Hints, to one request. */
export const INFORMATIONAL_MAX = 10

/** Maximum number of encodings of one response: one applied by the server, and one by a proxy in front of it. */
export const ENCODINGS_MAX = 2

/**
 * Maximum size of an encoded body. It is a tenth above the limit on decoded bodies, because encoding makes
 * incompressible data slightly larger.
 */
export const ENCODED_MAX_BYTES = 1_100_000

/** Timeout and number of tries of a DNS query. The timeout allows for one lost query within the connect timeout. */
export const DNS_TIMEOUT_MS = 2_500
export const DNS_TRIES = 2

/** Timeouts of an outbound request, in milliseconds. */
export type OutboundTimeouts = { connect: number; answer: number; idle: number }

export const DEFAULT_TIMEOUTS: OutboundTimeouts = {
  /**
   * Time limit for the TCP and TLS handshakes together. Even if three handshake packets are lost, the retransmissions
   * take only 7 s.
   */
  connect: 10_000,
  /** Time until a response starts. Proxies in front of slow services also give up after 100 s. */
  answer: 100_000,
  /** Time between two parts of a response. A response that arrives very slowly is stopped by the run's own deadline. */
  idle: 30_000,
}
