/**
 * Mails that notify an account's owner of security-relevant changes (docs/decisions/0048). The mails are sent after the
 * response. A mail that cannot be sent does not delay or undo the change.
 */
import type { LogFields } from '../../shared/service-log/line.ts'
import type { Scope } from '../../shared/wire/agent.ts'
import { RateLimitExceededError } from '../limits/require-rate.ts'
import type { RateName } from '../limits/rates.ts'
import { mailboxOf } from './email-address.ts'
import { withoutLinks } from './links-in-names.ts'
import { type Mail, type Mailer, MailerNotConfiguredError, MailNotSentError } from './mailer.ts'
import type { User } from './users.ts'

type NoticeDeps = {
  mailer: Mailer
  settings: { PUBLIC_URL: string }
  /** Returns the current time in Unix milliseconds. */
  now: () => number
  /** @throws {RateLimitExceededError} */
  requireRate: (name: RateName, caller: string) => Promise<void>
  waitUntil: (work: Promise<void>) => void
  log: (event: 'notice.not_sent', facts: LogFields) => void
}

type Notice = {
  kind:
    | 'token_authorized'
    | 'passkey_added'
    | 'passkey_removed'
    | 'account_linked'
    | 'account_shared'
    | 'invitation'
  subject: string
  facts: string[]
  /** Page on which the owner can undo the change. */
  path: string
  otherwise: string
}

/**
 * Call this function after the approval is stored.
 * @param label name of the token, chosen by the program or by the owner
 */
export function notifyOfApproval(
  deps: NoticeDeps,
  { user, label, scopes }: { user: User; label: string | null; scopes: readonly Scope[] },
): void {
  const permissions = scopes.includes('triggers:write')
    ? 'see, create, change and delete your triggers, and read their runs'
    : 'see your triggers and read their runs, but not change anything'
  sendNotice(deps, user, {
    kind: 'token_authorized',
    subject: 'A program was authorized',
    facts: [
      'A program was authorized to act for your account.',
      label === null ? 'It has no name.' : `Name: ${withoutLinks(label)}`,
      `It can ${permissions} (${scopes.join(' ')}).`,
    ],
    path: '/agent/tokens',
    otherwise: 'If this was not you, revoke it there, and sign out everywhere at /account.',
  })
}

/** Call this function after the change is stored. */
export function notifyOfPasskeyChange(
  deps: NoticeDeps,
  { user, name, change }: { user: User; name: string; change: 'added' | 'removed' },
): void {
  const added = change === 'added'
  sendNotice(deps, user, {
    kind: added ? 'passkey_added' : 'passkey_removed',
    subject: `A passkey was ${change}`,
    facts: [
      added
        ? 'A passkey was added to your account. Anyone who has it can sign in.'
        : 'A passkey was removed from your account. It can no longer be used to sign in.',
      `Name: ${withoutLinks(name)}`,
    ],
    path: '/account',
    otherwise: added
      ? 'If this was not you, remove it there, sign out everywhere, and check /agent/tokens.'
      : 'If this was not you, sign out everywhere there, and check your other passkeys.',
  })
}

/** Call this function after the key is stored. */
export function notifyOfLink(
  deps: NoticeDeps,
  { user, name, change }: { user: User; name: string; change: 'linked' | 'replaced' },
): void {
  sendNotice(deps, user, {
    kind: 'account_linked',
    subject: change === 'linked' ? 'An account was linked' : 'The key of an account was replaced',
    facts: [
      change === 'linked'
        ? 'An account was linked to your sign-in. Anyone who can sign in as you can use it in the console.'
        : 'The usage key of an account that is linked to your sign-in was replaced.',
      `Name: ${withoutLinks(name)}`,
    ],
    path: '/console',
    otherwise:
      'If this was not you, unlink it there, sign out everywhere at /account, and do not enter keys in the meantime.',
  })
}

/** Call this function after the invitation is stored. */
export function notifyOfInvitation(
  deps: NoticeDeps,
  { email, owner, name, scope }: { email: string; owner: User; name: string; scope: string },
): void {
  sendNotice(
    deps,
    { email },
    {
      kind: 'invitation',
      subject: 'An account was shared with you',
      facts: [
        `${owner.email} shares an account with you: ${withoutLinks(name)}`,
        `Scope: ${scope}. Sign in with this e-mail address to accept or decline it.`,
      ],
      path: '/console',
      otherwise: 'If you do not know this person, ignore this e-mail.',
    },
  )
}

/** Call this function after the invitation is accepted. */
export function notifyOfAcceptance(
  deps: NoticeDeps,
  { owner, name, email, scope }: { owner: User; name: string; email: string; scope: string },
): void {
  sendNotice(deps, owner, {
    kind: 'account_shared',
    subject: 'Your invitation was accepted',
    facts: [
      `${email} accepted your invitation and can now use an account of yours.`,
      `Name: ${withoutLinks(name)}`,
      `Scope: ${scope}`,
    ],
    path: '/console',
    otherwise:
      'If you did not invite this person, remove them there, and sign out everywhere at /account.',
  })
}

function sendNotice(deps: NoticeDeps, user: Pick<User, 'email'>, notice: Notice): void {
  const at = deps.now()
  const send = async () => {
    try {
      // Each kind of notice has its own rate limit, so that a flood of one kind cannot suppress another kind.
      await deps.requireRate('notice_mailbox', `${notice.kind} ${mailboxOf(user.email)}`)
      await deps.mailer.send(mailOf(user.email, notice, at, deps.settings.PUBLIC_URL))
    } catch (error) {
      const event = 'notice.not_sent'
      deps.log(event, { notice: notice.kind, cause: loggableReason(error) })
    }
  }
  deps.waitUntil(send())
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

/**
 * Returns the reason to log. For unknown errors, the reason is only the class name, because messages of third parties
 * can contain addresses.
 */
function loggableReason(error: unknown): string {
  if (error instanceof RateLimitExceededError) return 'too many notices to one mailbox'
  if (error instanceof MailNotSentError) return error.message
  if (error instanceof MailerNotConfiguredError) return 'mailer_not_configured'
  return error instanceof Error ? error.name : 'unknown'
}
