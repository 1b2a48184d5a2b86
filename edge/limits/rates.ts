/** Rate limits per caller, as protection against loops and floods. The origin has its own limits. */
import { MINUTE_MS } from '../../shared/durations.ts'
import { DEVICE_POLL_INTERVAL_MS } from '../../shared/limits.ts'
import type { Rate } from './token-bucket.ts'

export const RATES = {
  /**
   * Limit per address for the core API. All clients of an office or a cloud gateway may share one address. 100 requests
   * per second are below the capacity of one origin process.
   */
  core_address: { burst: 600, perMinute: 6_000 },
  /** Limit per API key for the core API. The limit is high, because many machines may share a key. */
  core_key: { burst: 600, perMinute: 6_000 },
  /**
   * The limit is high, because the payment processor has few addresses, and sends many events at the same time after a
   * delay. It resends rejected events for days.
   */
  processor_address: { burst: 2_000, perMinute: 12_000 },
  /** Allows a class of thirty people to sign in at the same time. */
  sign_in_address: { burst: 30, perMinute: 6 },
  /** The number of open links is limited separately (`LINKS_PER_MAILBOX`). */
  sign_in_mailbox: { burst: 10, perMinute: 1 },
  /**
   * Limit on notices of one kind to one mailbox. Except for invitations, only a person with access to the owner's session
   * can cause notices, and after ten notices the owner has been warned. An invitation beyond the limit is shown in the
   * list of the invited person, without a mail.
   */
  notice_mailbox: { burst: 10, perMinute: 1 },
  /** Limits requests to servers of others, which a test of an alert channel causes. */
  alert_test: { burst: 20, perMinute: 6 },
  /**
   * Limits the number of database rows, because each registered request occupies a row until the request is deleted.
   */
  agent_request_address: { burst: 30, perMinute: 30 },
  /**
   * Limits the number of database rows, because token rows are stored permanently and accounts are free of charge.
   * After ten notices about new programs, the user receives no more notices for a while (`notice_mailbox`).
   */
  agent_approval: { burst: 60, perMinute: 6 },
  /**
   * Ten agents behind one gateway may each poll once a second for their approval. A higher limit would not make it
   * feasible to guess a token, but each guess costs a database lookup.
   */
  refused_token_address: { burst: 1_800, perMinute: 600 },
  /**
   * Clients behind one gateway each refresh their tokens once an hour. A higher limit would not make it feasible to guess
   * a token, but each request costs a database lookup.
   */
  oauth_address: { burst: 600, perMinute: 600 },
  /**
   * Limit per device code. Allows two early polls because of jitter, and then the interval that the client was given
   * (`DEVICE_POLL_INTERVAL_MS`).
   */
  device_poll: { burst: 3, perMinute: MINUTE_MS / DEVICE_POLL_INTERVAL_MS },
  /**
   * Limits guesses of user codes. Even with a million open requests, one of a million guesses finds one, and what it finds
   * is a request of a stranger, which gets access to the account of the guesser.
   */
  user_code_account: { burst: 20, perMinute: 6 },
  /** Accounts are free of charge. The limit allows thirty people of an office to type a code at the same time. */
  user_code_address: { burst: 60, perMinute: 30 },
  /** Each opened consent page may fetch a document from another site. */
  oauth_client: { burst: 30, perMinute: 10 },
  /** Each linked key is checked at the origin, and each change may send a notice. */
  account_link: { burst: 60, perMinute: 6 },
  /** Invitations are mails to addresses that the sender chooses, so a person can send only a few. */
  account_invitation: { burst: 20, perMinute: 1 },
  passkey_address: { burst: 60, perMinute: 60 },
  /** A script that creates thousands of triggers stays below the limit, but an endless loop does not. */
  api_write: { burst: 2_000, perMinute: 6_000 },
  /**
   * Each preview sends about ten requests to a chain's nodes, which the operator pays for. A person who tries out event
   * signatures stays below the limit.
   */
  chain_preview: { burst: 20, perMinute: 6 },
} as const satisfies Record<string, Rate>

export type RateName = keyof typeof RATES
