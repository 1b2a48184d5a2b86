import { MAGIC_LINK_LIFETIME_MS } from '../../shared/limits.ts'

export type Mail = { recipient: string; subject: string; text: string }

/** The way out for mail. It has sent, or handed over for sending, when the promise resolves. */
export type Mailer = {
  /** @throws {MailNotSent} @throws {MailerNotConfigured} */
  send(mail: Mail): Promise<void>
}

/** There is no way out for mail: a deployment without `MAILER`. */
export class MailerNotConfigured extends Error {
  override name = 'MailerNotConfigured'
}

export type MailFailure = {
  /** Of which kind it was; `refused` is one that stays until somebody changes something. */
  reason: 'refused' | 'too_many' | 'unavailable' | 'redirected' | 'timeout' | 'network'
  /** The status of the API's answer, where there was one. */
  status?: number
  /** The API's own word for it, where it is a word: its texts quote addresses. */
  code?: string
  /** What the API asked for. */
  retryAfterMs?: number
}

/** A mail that the API did not take. Its message names no address, link or token: it is made to be logged. */
export class MailNotSent extends Error {
  readonly failure: MailFailure

  constructor(api: string, failure: MailFailure) {
    const { reason, status, code } = failure
    super([api, reason, status, code].filter((word) => word !== undefined).join(' '))
    this.name = 'MailNotSent'
    this.failure = failure
  }
}

/** For a deployment that has no mailer: each mail fails, so that nothing looks sent that is not. */
export const noMailer: Mailer = {
  send: () => Promise.reject(new MailerNotConfigured('MAILER is not set')),
}

/** The mail that carries a magic link. The link is the only URL in it. */
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
