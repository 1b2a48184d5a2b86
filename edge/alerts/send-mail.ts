import { drizzle } from 'drizzle-orm/d1'
import { eq } from 'drizzle-orm'
import * as schema from '../db/schema.ts'
import { type Env, settingsOf } from '../env.ts'
import { chooseMailer } from '../identity/choose-mailer.ts'
import { type Mail, MailerNotConfiguredError, MailNotSentError } from '../identity/mailer.ts'
import { UndeliverableError } from './attempt-failed-error.ts'

/** Sends a mail to a user's address. @throws {UndeliverableError} if a retry cannot succeed */
export async function sendMail(
  env: Env,
  userId: string,
  mailTo: (recipient: string) => Mail | Promise<Mail>,
): Promise<void> {
  const settings = settingsOf(env)
  const identity = { db: drizzle(env.DB, { schema }), now: Date.now, random }
  const mail = await mailTo(await addressOf(identity.db, userId))
  try {
    await chooseMailer(settings, identity).send(mail)
  } catch (error) {
    if (error instanceof MailerNotConfiguredError)
      throw new UndeliverableError('The deployment has no mailer.', { cause: error })
    if (error instanceof MailNotSentError && error.failure.reason === 'refused')
      throw new UndeliverableError(error.message, { cause: error })
    throw error
  }
}

async function addressOf(
  db: ReturnType<typeof drizzle<typeof schema>>,
  userId: string,
): Promise<string> {
  const { users } = schema
  const row = await db.select({ email: users.email }).from(users).where(eq(users.id, userId)).get()
  // The row of an erased user has no address, nor does one that was restored from a trigger.
  if (!row?.email.includes('@')) throw new UndeliverableError('The account has no address.')
  return row.email
}

const random = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes))
