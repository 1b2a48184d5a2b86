import { MAGIC_LINK_LIFETIME_MS } from '../../shared/limits.ts'

export type Mail = { recipient: string; subject: string; text: string }

/** The way out for mail. It has sent, or handed over for sending, when the promise resolves. */
export type Mailer = { send(mail: Mail): Promise<void> }

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
