/** Rate limits of the edge per caller, against loops and floods. The origin has limits of its own. */
import type { Rate } from './token-bucket.ts'

export const RATES = {
  /**
   * Core API requests from one client address. An office or a cloud gateway shares one address, and 100 requests per
   * second are below the capacity of one origin process.
   */
  core_address: { burst: 600, perMinute: 6_000 },
  /** Core API requests with one API key from any address, because many machines may share a key. */
  core_key: { burst: 600, perMinute: 6_000 },
  /**
   * Payment processor events, from one of its few addresses. Has its own limit, because the processor sends many events
   * at once after a delay. It resends events above the limit for days.
   */
  processor_address: { burst: 2_000, perMinute: 12_000 },
  /** Requests for a sign-in mail from one client address. Allows a class of thirty to sign in at once. */
  sign_in_address: { burst: 30, perMinute: 6 },
  /** Sign-in mails to one mailbox. The number of open links is limited separately (`LINKS_PER_MAILBOX`). */
  sign_in_mailbox: { burst: 10, perMinute: 1 },
  /**
   * Notices of one kind to one mailbox. Only someone with the owner's session can cause them, and after ten the owner
   * has been warned.
   */
  notice_mailbox: { burst: 10, perMinute: 1 },
  /** Requests that agents register, from one client address. Each is a row until it is cleared. */
  agent_request_address: { burst: 30, perMinute: 30 },
  /**
   * Programs that one user authorizes. Token rows are kept permanently, and accounts are free of charge. After ten
   * notices about new programs, the user receives no more for a while (`notice_mailbox`).
   */
  agent_approval: { burst: 60, perMinute: 6 },
  /**
   * Rejected tokens from one client address. Ten agents behind one gateway may each poll once a second for their
   * approval. A higher rate would not help anyone guess a token, and each guess costs a lookup.
   */
  refused_token_address: { burst: 1_800, perMinute: 600 },
  /** Passkey challenges and responses, from one client address. */
  passkey_address: { burst: 60, perMinute: 60 },
  /**
   * Writes of one user to the triggers API. A script that creates thousands of triggers stays below the limit; an
   * endless loop does not.
   */
  api_write: { burst: 2_000, perMinute: 6_000 },
  /**
   * Previews of chain events, for one user. Each sends about ten requests to a chain's nodes, which the operator pays
   * for. A person who tries out signatures stays below the limit.
   */
  chain_preview: { burst: 20, perMinute: 6 },
} as const satisfies Record<string, Rate>

export type RateName = keyof typeof RATES
