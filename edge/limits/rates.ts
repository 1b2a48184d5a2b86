/** How often the edge lets one caller do something. They stop loops and floods; the origin has limits of its own. */
import type { Rate } from './token-bucket.ts'

export const RATES = {
  /**
   * Requests to the core API from one client address: an office or a cloud's gateway is one address, and 100 a second
   * are below what one origin process answers.
   */
  core_address: { burst: 600, perMinute: 6_000 },
  /** The same of one API key, from wherever: a key that is shared by many machines. */
  core_key: { burst: 600, perMinute: 6_000 },
  /**
   * Events of the payment processor, from one of its few addresses, which sends many at once when it was held up; nobody
   * else's requests take from it. What is above it the processor sends again, for days.
   */
  processor_address: { burst: 2_000, perMinute: 12_000 },
  /** Forms that ask for a sign-in mail, from one client address: a class of thirty signs in at once. */
  sign_in_address: { burst: 30, perMinute: 6 },
  /** Sign-in mails to one mailbox: links that are open are counted besides (`LINKS_PER_MAILBOX`). */
  sign_in_mailbox: { burst: 10, perMinute: 1 },
  /** Notices of one kind to one mailbox: who can cause them has its session, and its owner has been told ten times. */
  notice_mailbox: { burst: 10, perMinute: 1 },
  /** Requests that agents register, from one client address: each is a row until it is cleared. */
  agent_request_address: { burst: 30, perMinute: 30 },
  /**
   * Programs that one user authorizes. Rows of tokens are kept for ever, accounts are free, and who is told of ten new programs
   * is told of no more for a while.
   */
  agent_approval: { burst: 60, perMinute: 6 },
  /**
   * Tokens that were refused, from one client address. Ten agents behind one gateway may each ask once a second whether they
   * have been approved (`decisions.md`, Authorize); who guesses gains nothing by more, and costs a look-up each.
   */
  refused_token_address: { burst: 1_800, perMinute: 600 },
  /** Challenges and answers of passkeys, from one client address. */
  passkey_address: { burst: 60, perMinute: 60 },
  /** Writes of one user to the triggers' API: a script that makes thousands of triggers runs through, a loop does not. */
  api_write: { burst: 2_000, perMinute: 6_000 },
  /**
   * Previews of chain events, of one user: each asks a chain's nodes some ten times, which the operator pays for. A person
   * who tries signatures stays below it.
   */
  chain_preview: { burst: 20, perMinute: 6 },
} as const satisfies Record<string, Rate>

export type RateName = keyof typeof RATES
