/** What one outbound request may take. What the specification counts stands in `shared/limits.ts`. */

/** Requests of one run that are under way at once; others wait. More would be a flood in our name. */
export const CONCURRENT_MAX = 10

/** Addresses of one name that are tried: many would make a port scan of a name's owner out of one request. */
export const ADDRESSES_PER_FAMILY = 2

/** TCP and TLS together: three lost packets of a handshake are sent again within 7 s. */
export const CONNECT_MS = 10_000

/** Silence before a response begins: proxies in front of slow services give up after 100 s themselves. */
export const ANSWER_MS = 100_000

/** Silence inside a response. Who sends a byte now and then is ended by the run's own deadline. */
export const IDLE_MS = 30_000

/** The body of a redirect is read for as long, and as far, as another connection would cost. */
export const DISCARD_MS = 1_000
export const DISCARD_BYTES = 65_536

/** Bytes of names and values of one message's header, both ways: servers of today take 8 to 32 KiB. */
export const HEADER_BYTES_MAX = 32_768

/** Fields of one message's header: a field of one byte still takes a line of its own in memory. */
export const HEADER_FIELDS_MAX = 256

/** Answers before the answer (103 Early Hints) that one request may get. */
export const INFORMATIONAL_MAX = 10

/** Stacked content encodings: one by the application, one by a proxy before it. */
export const ENCODINGS_MAX = 2

/** Encoded bytes of one response: what does not compress grows by less than a tenth, with any encoding. */
export const ENCODED_MAX_BYTES = 1_100_000

/** Asking one name server once, and how often: a lost question is asked again within the patience of a connect. */
export const DNS_TIMEOUT_MS = 2_500
export const DNS_TRIES = 2

/** Time-outs of a request, in milliseconds. */
export type OutboundTimes = { connect: number; answer: number; idle: number }

export const TIMES: OutboundTimes = { connect: CONNECT_MS, answer: ANSWER_MS, idle: IDLE_MS }
