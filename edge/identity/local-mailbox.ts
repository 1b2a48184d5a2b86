/** Writes mail to a table and to the terminal instead of sending it. */
import { desc } from 'drizzle-orm'
import { localMailbox } from '../db/schema.ts'
import type { IdentityDeps } from './deps.ts'
import type { Mail, Mailer } from './mailer.ts'

const MAILS_SHOWN = 50

export type DeliveredMail = Mail & { link: string | null; sentAt: number }

export function localMailer(deps: IdentityDeps, print: (line: string) => void): Mailer {
  return {
    async send(mail) {
      const { recipient, subject, text } = mail
      await deps.db.insert(localMailbox).values({ recipient, subject, text, sentAt: deps.now() })
      print(`Mail to ${mail.recipient}: ${linkIn(mail.text) ?? mail.subject}`)
    },
  }
}

export async function readLocalMailbox(deps: IdentityDeps): Promise<DeliveredMail[]> {
  const mails = await deps.db
    .select()
    .from(localMailbox)
    .orderBy(desc(localMailbox.id))
    .limit(MAILS_SHOWN)
  return mails.map(({ recipient, subject, text, sentAt }) => ({
    recipient,
    subject,
    text,
    link: linkIn(text),
    sentAt,
  }))
}

function linkIn(text: string): string | null {
  return /https?:\/\/\S+/.exec(text)?.[0] ?? null
}
