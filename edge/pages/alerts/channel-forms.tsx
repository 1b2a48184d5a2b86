import type { Context } from 'hono'
import { ApiError } from '../../../shared/errors/api-error.ts'
import { validate } from '../../../shared/json/json-body.ts'
import { ALERT_SIGNALS } from '../../../shared/wire/alert.ts'
import {
  alertChannelRequest,
  type AlertChannelWithSecret,
} from '../../../shared/wire/alert-channel.ts'
import { channelId, createAlertChannel, testAlertChannel } from '../../http/alerts-channels.ts'
import type { App, AppEnv } from '../../http/app-env.ts'
import { notFound } from '../../http/trigger-lookup.ts'
import { noticePage, renderPage, seeOther } from '../layout/render-page.tsx'
import { readSessionForm } from '../requests/session-form.ts'
import { ADD_CHANNEL_PATH, CHANGE_CHANNEL_PATH, PATH, SUBJECT } from './paths.ts'

export function registerChannelForms(app: App): void {
  app.post(ADD_CHANNEL_PATH, (c) => addChannel(c))
  app.post(CHANGE_CHANNEL_PATH, (c) => changeChannel(c))
}

async function addChannel(c: Context<AppEnv>): Promise<Response> {
  const read = await readSessionForm(c, { subject: SUBJECT, back: PATH })
  if (read instanceof Response) return read
  const { form, session } = read
  const chosen = form.getAll('signals')
  const signals = ALERT_SIGNALS.filter((signal) => chosen.includes(signal))
  const type = form.get('type')
  const target = type === 'webhook' ? 'url' : 'trigger_id'
  try {
    const fields = validate(
      alertChannelRequest,
      {
        type,
        name: form.get('name'),
        [target]: form.get(target)?.trim(),
        signals,
      },
      422,
    )
    const created = await createAlertChannel(c, session.user.id, fields)
    return created.secret === null ? seeOther(c, PATH) : secretPage(c, created)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return noticePage(c, {
      status: error.status === 409 ? 409 : 400,
      title: 'The channel was not added',
      text: `${error.message} ${error.fix}`,
      link: { href: PATH, text: 'Back to the alerts' },
    })
  }
}

async function changeChannel(c: Context<AppEnv>): Promise<Response> {
  const read = await readSessionForm(c, { subject: SUBJECT, back: PATH })
  if (read instanceof Response) return read
  const { form, session } = read
  const id = channelId(form.get('channel') ?? '')
  const reports = c.env.USER_REPORTS.getByName(session.user.id)
  const change = form.get('change') ?? ''
  switch (change) {
    case 'test':
      await testAlertChannel(c, session.user.id, id)
      break
    case 'enable':
    case 'disable':
      await reports.changeAlertChannel(id, { enabled: change === 'enable' })
      break
    case 'delete':
      await reports.deleteAlertChannel(id)
      break
    case 'rotate': {
      const rotated = await reports.rotateAlertSecret(id)
      if (!rotated) throw notFound('channel')
      return secretPage(c, rotated)
    }
  }
  return seeOther(c, PATH)
}

/** The secret is part of this response only, and no cache stores pages. */
function secretPage(c: Context<AppEnv>, { name, secret }: AlertChannelWithSecret) {
  return renderPage(
    c,
    { title: 'Secret of the channel' },
    <div class="card">
      <p>
        Webhooks of <bdi>{name}</bdi> are signed with this secret (Standard Webhooks). Store it now:
        it is not shown again.
      </p>
      <p>
        <code>{secret}</code>
      </p>
      <p>
        <a href={PATH}>Back to the alerts</a>
      </p>
    </div>,
  )
}
