import type { Child } from 'hono/jsx'
import type { ReplayRecord } from '../../../shared/wire/replays.ts'
import { FactList, Time } from '../../browser/components/elements.tsx'
import type { App } from '../../http/app-env.ts'
import { notFound } from '../../http/trigger-lookup.ts'
import { toReplayRecord } from '../../replays/records.ts'
import { noticePage, renderPage, seeOther } from '../layout/render-page.tsx'
import { CsrfField } from '../requests/csrf-field.tsx'
import { readSessionForm, requirePageSession } from '../requests/session-form.ts'

const REFRESH_S = 5

const cancelSubject = (id: string) => `replays/cancel/${id}`

/** Progress of a bulk replay. The page reloads itself until the replay has ended. */
export function registerReplayPage(app: App): void {
  app.get('/replays/:id', async (c) => {
    const session = await requirePageSession(c)
    if (session instanceof Response) return session
    const id = c.req.param('id')
    const stored = await c.env.USER_REPORTS.getByName(session.user.id).replay(id)
    if (!stored) throw notFound('replay')
    const replay = toReplayRecord(stored)
    const isRunning = replay.finished_at === null
    return renderPage(
      c,
      { title: 'Bulk replay', ...(isRunning && { headers: { refresh: String(REFRESH_S) } }) },
      <>
        <progress
          max={replay.selected}
          value={replay.selected - replay.remaining}
          aria-label="Processed runs"
        />
        <FactList facts={factsOf(replay)} />
        {replay.status === 'running' && (
          <form method="post" action={`/replays/${id}/cancel`}>
            <CsrfField session={session} subject={cancelSubject(id)} />
            <p class="actions">
              <button class="danger">Cancel replay</button>
            </p>
          </form>
        )}
        <p>
          <a href="/failed-runs">Back to the failed runs</a>
        </p>
      </>,
    )
  })

  app.post('/replays/:id/cancel', async (c) => {
    const id = c.req.param('id')
    const back = `/replays/${encodeURIComponent(id)}`
    const read = await readSessionForm(c, { subject: cancelSubject(id), back })
    if (read instanceof Response) return read
    const { id: ownerId } = read.session.user
    await c.var.services.requireRate('api_write', ownerId)
    const result = await c.env.USER_REPORTS.getByName(ownerId).cancelReplay(id)
    if (!result) throw notFound('replay')
    if (result.isCancelled) return seeOther(c, back)
    return noticePage(c, {
      status: 409,
      title: 'Replay not cancelled',
      text: 'The replay has ended.',
      link: { href: back, text: 'Back to the replay' },
    })
  })
}

function factsOf(replay: ReplayRecord): [string, Child][] {
  const { skipped, waiting_for } = replay
  const reasons = Object.entries(skipped).filter(([, count]) => count > 0)
  const facts: [string, Child][] = [
    ['Status', replay.status],
    ['Selected', String(replay.selected)],
    ['Replayed', String(replay.replayed)],
    [
      'Skipped',
      reasons.map(([reason, count]) => `${count} ${reason.replaceAll('_', ' ')}`).join(', ') || '0',
    ],
    ['Failed to queue', String(replay.failed)],
    ['Remaining', String(replay.remaining)],
    ['Started', <Time at={Date.parse(replay.created_at)} />],
  ]
  if (waiting_for.length > 0) facts.push(['Waiting for', 'room in the queue of a trigger'])
  if (replay.finished_at !== null)
    facts.push(['Ended', <Time at={Date.parse(replay.finished_at)} />])
  return facts
}
