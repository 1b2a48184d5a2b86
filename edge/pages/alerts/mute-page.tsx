import type { Context } from 'hono'
import { MUTE_PATH, type MuteTarget, readMuteToken } from '../../alerts/mute-token.ts'
import type { App, AppEnv } from '../../http/app-env.ts'
import { noticePage, renderPage } from '../layout/render-page.tsx'

/**
 * The page of the link in alert mails. It needs no session: the token in the link permits muting, and nothing else.
 * GET changes nothing, because mail scanners follow links.
 */
export function registerMutePage(app: App): void {
  app.get(MUTE_PATH, async (c) => {
    const target = await targetOf(c)
    if (!target) return invalidLinkPage(c)
    const what = target.triggerId === null ? 'all alerts of your account' : 'alerts of this trigger'
    const path = `${MUTE_PATH}?token=${encodeURIComponent(c.req.query('token') ?? '')}`
    return renderPage(
      c,
      { title: 'Mute alerts' },
      <form method="post" action={path} class="card">
        <p>
          You will get no more {what}. Incidents are still recorded, and you can turn alerts on
          again on the page Alerts.
        </p>
        <button>Mute</button>
      </form>,
    )
  })

  // Mail programs post here too (RFC 8058), without a session and from another site. The body is not needed.
  app.post(MUTE_PATH, async (c) => {
    const target = await targetOf(c)
    if (!target) return invalidLinkPage(c)
    await mute(c, target)
    return noticePage(c, {
      status: 200,
      title: 'Alerts muted',
      text: 'You can turn them on again on the page Alerts.',
      link: { href: '/alerts', text: 'Alerts' },
    })
  })
}

async function targetOf(c: Context<AppEnv>): Promise<MuteTarget | undefined> {
  const { now, settings } = c.var.services
  return readMuteToken(settings.ID_MAC_KEY, c.req.query('token') ?? '', now())
}

async function mute(c: Context<AppEnv>, { userId, triggerId }: MuteTarget): Promise<void> {
  const reports = c.env.USER_REPORTS.getByName(userId)
  if (triggerId === null) {
    await reports.changeAlertSettings({ muted: true })
    return
  }
  // The trigger may have been deleted, or the user erased, since the mail was sent.
  const owned = await c.env.TRIGGER_QUEUE.getByName(triggerId).kindAndAction(userId)
  if (owned) await reports.changeTriggerAlerts(triggerId, { muted: true })
}

function invalidLinkPage(c: Context<AppEnv>): Promise<Response> {
  return noticePage(c, {
    status: 410,
    title: 'This link no longer works',
    text: 'Links in alert mails expire after 90 days. You can change your alerts on the page Alerts.',
    link: { href: '/alerts', text: 'Alerts' },
  })
}
