/** Limits of one outbound request. Documented limits are in `shared/limits.ts`. */

/** Concurrent requests of one run. Others wait. A higher number would allow a flood of requests in our name. */
export const CONCURRENT_MAX = 10

/**
 * Addresses of one name that are tried per family. With many, the owner of a name could turn one request into a port
 * scan.
 */
export const ADDRESSES_PER_FAMILY = 2

/** Timeout of TCP and TLS together. Three lost packets of a handshake are sent again within 7 s. */
export const CONNECT_MS = 10_000

/** Limit on silence before a response begins. Proxies in front of slow services give up after 100 s themselves. */
export const ANSWER_MS = 100_000

/**
 * Limit on silence within a response. If a server sends a byte now and then, the run's own deadline stops the request.
 */
export const IDLE_MS = 30_000

/** Limits on reading the body of a redirect: the cost of opening another connection instead. */
export const DISCARD_MS = 1_000
export const DISCARD_BYTES = 65_536

/** Limit on the bytes of names and values in one message's header, both ways. Current servers allow 8 to 32 KiB. */
export const HEADER_BYTES_MAX = 32_768

/** Limit on the fields of one message's header, because even a field of one byte has a memory overhead. */
export const HEADER_FIELDS_MAX = 256

/** Limit on informational responses (103 Early Hints) to one request. */
export const INFORMATIONAL_MAX = 10

/** Limit on stacked content encodings: one by the application, and one by a proxy in front of it. */
export const ENCODINGS_MAX = 2

/** Limit on the encoded bytes of one response. Incompressible data grows by less than a tenth with any encoding. */
export const ENCODED_MAX_BYTES = 1_100_000

/**
 * Timeout of one query to a name server, and number of tries. A lost query is sent again within the connect timeout.
 */
export const DNS_TIMEOUT_MS = 2_500
export const DNS_TRIES = 2

/** Timeouts of a request, in milliseconds. */
export type OutboundTimes = { connect: number; answer: number; idle: number }

export const TIMES: OutboundTimes = { connect: CONNECT_MS, answer: ANSWER_MS, idle: IDLE_MS }
