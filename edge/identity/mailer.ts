import { MAGIC_LINK_LIFETIME_MS } from '../../shared/limits.ts'

export type Mail = { recipient: string; subject: string; text: string }

/** Sends mail. The promise resolves once the mail is sent or has been accepted for delivery. */
export type Mailer = {
  /** @throws {MailNotSent} @throws {MailerNotConfigured} */
  send(mail: Mail): Promise<void>
}

export class MailerNotConfigured extends Error {
  override name = 'MailerNotConfigured'
}

export type MailFailure = {
  /** `refused` is permanent until the operator or the user changes something. */
  reason: 'refused' | 'too_many' | 'unavailable' | 'redirected' | 'timeout' | 'network'
  /** HTTP status, if the API responded. */
  status?: number
  /** The API's error code, if it is a single word: longer texts can quote addresses. */
  code?: string
  retryAfterMs?: number
}

/** A mail that the API did not accept. The message is safe to log: it contains no address, link or token. */
export class MailNotSent extends Error {
  readonly failure: MailFailure

  constructor(api: string, failure: MailFailure) {
    const { reason, status, code } = failure
    super([api, reason, status, code].filter((word) => word !== undefined).join(' '))
    this.name = 'MailNotSent'
    this.failure = failure
  }
}

/** Used by deployments without a mailer. Every mail fails, so that no mail appears to have been sent. */
export const noMailer: Mailer = {
  send: () => Promise.reject(new MailerNotConfigured('MAILER is not set')),
}

/** Builds the mail with a magic link, which is its only URL. */
export function signInMail(recipient: string, link: string): Mail {
  return {
    recipient,
    subject: 'Your sign-in link',
    text: [
      'Open this link to sign in:',
      link,
      `It works once, for ${MAGIC_LINK_LIFETIME_MS / 60_000} minutes.`,
      'If you did not ask for it, ignore this mail: nothing happens unless the link is used.',
    ].join('\n\n'),
  }
}
