import { inject } from 'vitest'
import { apiMailer, SEND_LIMITS } from '../../../edge/identity/api-mailer.ts'
import type { MailApiName } from '../../../edge/identity/mail-apis.ts'
import { mailerSetting } from '../../../edge/identity/mailer-settings.ts'
import { MAIL_FROM, MAIL_TOKEN } from '../../doubles/mail-api.ts'
import type { MailFault, ReceivedMail } from '../../doubles/mail-api.ts'

/** Creates a separate account at the mail API double. */
export async function account(...faults: MailFault[]) {
  const url = `${inject('mailApi')}/${crypto.randomUUID()}`
  await fetch(`${url}/faults`, { method: 'POST', body: JSON.stringify(faults) })
  type Seen = { mails: ReceivedMail[]; requests: { headers: Record<string, string> }[] }
  return { url, seen: async (): Promise<Seen> => (await fetch(`${url}/received`)).json() }
}

/** Returns the `MAILER` setting for an account at the double. */
export const MAILER = (api: MailApiName, url: string, token = MAIL_TOKEN) =>
  JSON.stringify({ api, from: MAIL_FROM, token, url })

/** Creates a mailer that records its waits instead of waiting. */
export function mailerOf(
  api: MailApiName,
  url: string,
  { token = MAIL_TOKEN, limits = SEND_LIMITS } = {},
) {
  const waits: number[] = []
  const clock = { ms: 0 }
  const deps = {
    fetch: (...request: Parameters<typeof fetch>) => fetch(...request),
    now: () => clock.ms,
    random: (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes)),
    wait: async (ms: number) => {
      waits.push(ms)
      clock.ms += ms
    },
  }
  const mailer = apiMailer(mailerSetting.parse(MAILER(api, url, token))!, deps, limits)
  return { ...mailer, waits }
}
