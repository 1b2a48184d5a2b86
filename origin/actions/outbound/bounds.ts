/** Limits of one outbound request. Documented limits are in `shared/limits.ts`. */

/**
 * Maximum number of concurrent requests of one run. Further requests wait. A higher number would let an action flood
 * other servers from our network.
 */
export const CONCURRENT_MAX = 10

/**
 * Maximum number of addresses per address family to which a connection is tried. With many, the owner of a name could
 * turn one request into a port scan.
 */
export const ADDRESSES_PER_FAMILY = 2

/**
 * Timeout of the TCP and TLS handshakes together. Even after three lost handshake packets, the retransmissions take
 * only 7 s.
 */
export const CONNECT_MS = 10_000

/** Timeout for the start of a response. Proxies in front of slow services also give up after 100 s. */
export const ANSWER_MS = 100_000

/**
 * Maximum time between two parts of a response. A response that arrives very slowly is stopped by the run's own
 * deadline.
 */
export const IDLE_MS = 30_000

/**
 * Limits on how much of a redirect's body is read so that the connection can be reused. Beyond them, opening a new
 * connection is cheaper.
 */
export const DISCARD_MS = 1_000
export const DISCARD_BYTES = 65_536

/** Maximum total size of the header fields of one request or response, in bytes. Servers commonly allow 8 to 32 KiB. */
export const HEADER_BYTES_MAX = 32_768

/**
 * Maximum number of header fields in one request or response. Needed in addition to the size limit, because even a
 * one-byte field has a memory overhead.
 */
export const HEADER_FIELDS_MAX = 256

/** Maximum number of informational responses, such as 103 Early Hints, to one request. */
export const INFORMATIONAL_MAX = 10

/**
 * Maximum number of content encodings of one response: one applied by the server, and one by a proxy in front of it.
 */
export const ENCODINGS_MAX = 2

/**
 * Maximum size of an encoded response body, in bytes. It is a tenth above the limit on decoded bodies, because encoding
 * makes incompressible data slightly larger.
 */
export const ENCODED_MAX_BYTES = 1_100_000

/** Timeout of one DNS query, and the number of tries. A lost query can be retried within the connect timeout. */
export const DNS_TIMEOUT_MS = 2_500
export const DNS_TRIES = 2

/**
 * Timeouts of an outbound request, in milliseconds: connecting, waiting for the response to start, and waiting for more
 * data.
 */
export type OutboundTimes = { connect: number; answer: number; idle: number }

export const TIMES: OutboundTimes = { connect: CONNECT_MS, answer: ANSWER_MS, idle: IDLE_MS }
