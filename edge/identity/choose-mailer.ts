import { ENVIRONMENTS, type EnvironmentName } from '../../shared/config/environments.ts'
import { sleep } from '../sleep.ts'
import { apiMailer } from './api-mailer.ts'
import type { IdentityDeps } from './deps.ts'
import { localMailer } from './local-mailbox.ts'
import { type Mailer, noMailer } from './mailer.ts'
import type { MailerSettings } from './mailer-settings.ts'

type MailEnvironment = {
  SVC_ENV: EnvironmentName
  MAILER?: MailerSettings | undefined
}

/** Returns false if `chooseMailer` would return a mailer that always fails. */
export function hasMailer({ SVC_ENV, MAILER }: MailEnvironment): boolean {
  return !ENVIRONMENTS[SVC_ENV].isPublic || MAILER !== undefined
}

/**
 * A local stack always uses the local mailbox, even if `MAILER` is set, so that a copy of a deployment's settings does
 * not send real mail.
 */
export function chooseMailer({ SVC_ENV, MAILER }: MailEnvironment, deps: IdentityDeps): Mailer {
  if (!ENVIRONMENTS[SVC_ENV].isPublic) return localMailer(deps, (line) => console.log(line))
  if (!MAILER) return noMailer
  return apiMailer(MAILER, { ...deps, fetch: (...request) => fetch(...request), wait: sleep })
}
