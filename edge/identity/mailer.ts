import { MAGIC_LINK_LIFETIME_MS } from '../../shared/limits.ts'
import { MINUTE_MS } from '../../shared/durations.ts'

export type Mail = {
  recipient: string
  subject: string
  text: string
  /** Additional headers of the mail, such as `List-Unsubscribe`. */
  headers?: Readonly<Record<string, string>>
}

/** The promise of `send` resolves once the mail is sent or accepted for delivery. */
export type Mailer = {
  /**
   * @throws {MailNotSentError} if the API does not accept the mail
   * @throws {MailerNotConfiguredError} if the deployment has no mailer
   */
  send(mail: Mail): Promise<void>
}

export class MailerNotConfiguredError extends Error {
  override name = 'MailerNotConfiguredError'
}

export type MailFailure = {
  /** `refused` is permanent until the operator or the user changes something. */
  reason: 'refused' | 'too_many' | 'unavailable' | 'redirected' | 'timeout' | 'network'
  status?: number
  /** Error code from the API. Longer texts are dropped, because they could contain addresses. */
  code?: string
  retryAfterMs?: number
}

/** Thrown if a mail could not be sent. The error message contains no address, link or token, so it is safe to log. */
export class MailNotSentError extends Error {
  readonly failure: MailFailure

  constructor(api: string, failure: MailFailure) {
    const { reason, status, code } = failure
    super([api, reason, status, code].filter((word) => word !== undefined).join(' '))
    this.name = 'MailNotSentError'
    this.failure = failure
  }
}

/** It always fails, so that no mail appears to have been sent. */
export const noMailer: Mailer = {
  send: () => Promise.reject(new MailerNotConfiguredError('MAILER is not set')),
}

/** The magic link is the only URL in the mail. */
export function signInMail(recipient: string, link: string): Mail {
  return {
    recipient,
    subject: 'Your sign-in link',
    text: [
      'Open this link to sign in:',
      link,
      `It can be used once, within ${MAGIC_LINK_LIFETIME_MS / MINUTE_MS} minutes.`,
      'If you did not request it, ignore this e-mail: nothing happens unless the link is used.',
    ].join('\n\n'),
  }
}
