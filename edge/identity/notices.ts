/**
 * Mails that tell an account's owner what was done in it (decision 0048). Each is sent after the answer: nothing waits
 * for it, and one that cannot be sent undoes nothing.
 */
import type { LogFacts } from '../../shared/service-log/line.ts'
import type { Scope } from '../../shared/wire/agent.ts'
import { TooManyCalls } from '../limits/require-rate.ts'
import type { RateName } from '../limits/rates.ts'
import { mailboxOf } from './email-address.ts'
import { type Mail, type Mailer, MailerNotConfigured, MailNotSent } from './mailer.ts'
import type { User } from './users.ts'

export type NoticeDeps = {
  mailer: Mailer
  settings: { PUBLIC_URL: string }
  /** Unix milliseconds. */
  now: () => number
  /** @throws {TooManyCalls} */
  requireRate: (name: RateName, caller: string) => Promise<void>
  /** Keeps work alive that the answer does not wait for. */
  later: (work: Promise<void>) => void
  log: (event: 'notice.not_sent', facts: LogFacts) => void
}

type Notice = {
  kind: 'token_authorized' | 'passkey_added' | 'passkey_removed'
  subject: string
  /** What was done, a line each. */
  facts: string[]
  /** The page on which it can be undone. */
  path: string
  otherwise: string
}

/** A program's token was authorized. To be called once it is stored. @param label as its program or its owner named it */
export function noticeOfApproval(
  deps: NoticeDeps,
  { user, label, scopes }: { user: User; label: string | null; scopes: readonly Scope[] },
): void {
  const may = scopes.includes('triggers:write')
    ? 'see, create, change and delete your triggers, and read their runs'
    : 'see your triggers and read their runs, and change nothing'
  tell(deps, user, {
    kind: 'token_authorized',
    subject: 'A program was authorized',
    facts: [
      'A program was authorized to act for your account.',
      label === null ? 'It has no name.' : `It is called: ${withoutLinks(label)}`,
      `It may ${may} (${scopes.join(' ')}).`,
    ],
    path: '/agent/tokens',
    otherwise: 'If this was not you, revoke it there, and sign out everywhere at /account.',
  })
}

/** A passkey was added to the account or taken from it. To be called once that is stored. */
export function noticeOfPasskey(
  deps: NoticeDeps,
  { user, name, change }: { user: User; name: string; change: 'added' | 'removed' },
): void {
  const added = change === 'added'
  tell(deps, user, {
    kind: added ? 'passkey_added' : 'passkey_removed',
    subject: `A passkey was ${change}`,
    facts: [
      added
        ? 'A passkey was added to your account. Whoever holds it can sign in.'
        : 'A passkey was removed from your account. It signs nobody in any more.',
      `It is called: ${withoutLinks(name)}`,
    ],
    path: '/account',
    otherwise: added
      ? 'If this was not you, remove it there, sign out everywhere, and look at /agent/tokens.'
      : 'If this was not you, sign out everywhere there, and look at your other passkeys.',
  })
}

function tell(deps: NoticeDeps, user: User, notice: Notice): void {
  const at = deps.now()
  const send = async () => {
    try {
      // Each kind has its own: a flood of one does not hide another.
      await deps.requireRate('notice_mailbox', `${notice.kind} ${mailboxOf(user.email)}`)
      await deps.mailer.send(mailOf(user.email, notice, at, deps.settings.PUBLIC_URL))
    } catch (error) {
      const event = 'notice.not_sent'
      deps.log(event, { notice: notice.kind, cause: reasonOf(error) })
    }
  }
  deps.later(send())
}

function mailOf(
  recipient: string,
  { subject, facts, path, otherwise }: Notice,
  at: number,
  publicUrl: string,
): Mail {
  const when = new Date(at).toISOString().replace('T', ' ').slice(0, 16)
  const text = [...facts, `${when} UTC`, new URL(path, publicUrl).href, otherwise].join('\n\n')
  return { recipient, subject, text }
}

/** Names are others' words in our mail. Mail programs make links of what looks like one, and these must not be any. */
function withoutLinks(name: string): string {
  return name.replaceAll(/[.:/@](?=[\p{L}\p{N}/])/gu, (mark, place: number) =>
    /^\.\d/.test(name.slice(place)) && /\d$/.test(name.slice(0, place)) ? mark : `${mark} `,
  )
}

/** A class, and no text: texts of others quote addresses. */
function reasonOf(error: unknown): string {
  if (error instanceof TooManyCalls) return 'too many notices to one mailbox'
  if (error instanceof MailNotSent) return error.message
  if (error instanceof MailerNotConfigured) return 'mailer_not_configured'
  return error instanceof Error ? error.name : 'unknown'
}
