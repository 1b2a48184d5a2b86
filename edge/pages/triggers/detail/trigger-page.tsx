import type { Context } from 'hono'
import type { FC } from 'hono/jsx'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { validate } from '../../../../shared/json/json-body.ts'
import { tailQuery } from '../../../../shared/wire/tail.ts'
import type { TriggerRecord } from '../../../../shared/wire/trigger.ts'
import { TriggerStatsList, TriggerStatus } from '../../../browser/runs/trigger-status.tsx'
import { escapeInvisible } from '../../../browser/components/user-text.tsx'
import { withFactoryContracts } from '../../../chain/factory/factory-contracts.ts'
import { sleep } from '../../../sleep.ts'
import type { Session } from '../../../identity/sessions.ts'
import type { App, AppEnv } from '../../../http/app-env.ts'
import { longPollTail } from '../../../http/long-poll-tail.ts'
import { notFound, queueOf } from '../../../http/trigger-lookup.ts'
import { renderPage } from '../../layout/render-page.tsx'
import { ChartSection, RunSection } from './run-section.tsx'
import { readRunQuery } from './run-query.ts'
import { RUNS_STYLE } from '../../runs/runs-style.ts'
import { requirePageSession } from '../../requests/session-form.ts'
import {
  ConfigurationCard,
  type RejectedTestInput,
  TestCard,
  TriggerActions,
} from './configuration-cards.tsx'
import { FiringCard } from './firing-card.tsx'
import { SourceCard } from './source-card.tsx'
import { TriggerNotice } from './trigger-notice.tsx'
import { requireScriptSession } from '../../requests/same-origin-json.ts'

export function registerTriggerPage(app: App): void {
  app.get('/triggers/:id', async (c) => {
    const session = await requirePageSession(c)
    return session instanceof Response ? session : triggerPage(c, session, c.req.param('id'))
  })
}

/**
 * @param test rejected input of a test run, which is shown again with its error
 * @throws {ApiError} 404 if the user has no trigger with this ID
 */
export async function triggerPage(
  c: Context<AppEnv>,
  session: Session,
  id: string,
  { test, status = 200 }: { test?: RejectedTestInput; status?: ContentfulStatusCode } = {},
): Promise<Response> {
  const queue = await queueOf(c, id)
  const query = readRunQuery(c.req.url, id)
  const [record, glance] = await Promise.all([
    queue.read(session.user.id) as Promise<TriggerRecord | undefined>,
    queue.glance(session.user.id, query.page, query.range ?? '24h'),
  ])
  if (!record || !glance) throw notFound('trigger')
  const { now, watcherOf } = c.var.services
  const trigger = await withFactoryContracts(record, { watcherOf, sleep })
  const at = now()
  const shown = { id, kind: trigger.kind, glance, query, now: at }
  return renderPage(
    c,
    {
      title: escapeInvisible(trigger.name),
      status,
      style: RUNS_STYLE,
      wide: true,
      hasLists: false,
      script: { name: 'runs', modules: ['charts'] },
    },
    <div
      id="trigger"
      data-trigger={id}
      data-kind={trigger.kind}
      data-created={Date.parse(trigger.created_at)}
    >
      <TriggerNotice url={c.req.url} trigger={trigger} />
      <ResultNotices url={c.req.url} trigger={trigger} />
      <div class="head">
        <div id="state">
          <TriggerStatus id={id} kind={trigger.kind} state={glance} now={at} />
        </div>
        <TriggerActions session={session} trigger={trigger} />
      </div>
      {glance.backfill && <BackfillProgress backfill={glance.backfill} />}
      <div id="numbers">
        <TriggerStatsList stats={glance.stats} kind={trigger.kind} />
      </div>
      {trigger.kind === 'webhook' && (
        <FiringCard trigger={trigger} now={at} isNew={glance.lines.length === 0} />
      )}
      <div class="parts">
        <div class="did">
          <ChartSection {...shown} />
          <RunSection {...shown} />
        </div>
        <div class="does">
          {trigger.kind !== 'webhook' && <FiringCard trigger={trigger} now={at} />}
          <SourceCard trigger={trigger} now={at} />
          <TestCard session={session} trigger={trigger} test={test} />
          <ConfigurationCard session={session} trigger={trigger} />
        </div>
      </div>
    </div>,
  )
}

const NEXT = {
  webhook:
    'Run the command under “Try it out”, or give the URL to the sender. The first run appears here.',
  schedule: 'The first run appears here at the next tick. To see one now, run a test.',
  chain_event: 'A run appears here for each log that matches. To see one now, run a test.',
} as const

const ResultNotices: FC<{ url: string; trigger: TriggerRecord }> = ({ url, trigger }) => {
  const query = new URL(url).searchParams
  const cancelled = /^\d{1,5}$/.exec(query.get('purged') ?? '')?.[0]
  return (
    <>
      {query.has('created') && (
        <p class="done" role="status">
          <strong>Trigger created.</strong> {NEXT[trigger.kind]}
        </p>
      )}
      {cancelled !== undefined && (
        <p class="done" role="status">
          {cancelled === '1' ? '1 queued run' : `${cancelled} queued runs`} cancelled.
        </p>
      )}
    </>
  )
}

const BackfillProgress: FC<{ backfill: NonNullable<TriggerRecord['backfill']> }> = ({
  backfill: { from, to, at, done },
}) => (
  <section class="card" aria-labelledby="backfill">
    <h2 id="backfill">Earlier blocks</h2>
    <p>
      {done
        ? `Blocks ${from} to ${to} have been scanned.`
        : `Scanning block ${at} of ${from} to ${to}.`}
    </p>
    <progress
      aria-labelledby="backfill"
      max={to - from + 1}
      value={done ? to - from + 1 : at - from}
    />
  </section>
)

export function registerTailJson(app: App): void {
  app.get('/triggers/:id/tail.json', async (c) => {
    const { user } = await requireScriptSession(c)
    const query = validate(tailQuery, c.req.query(), 422)
    return c.json(await longPollTail(c, { ownerId: user.id, triggerId: c.req.param('id') }, query))
  })
}

export function registerRunsJson(app: App): void {
  app.get('/triggers/:id/runs.json', async (c) => {
    const session = await requireScriptSession(c)
    const id = c.req.param('id')
    const queue = await queueOf(c, id)
    const { page, range } = readRunQuery(c.req.url, id)
    const glance = await queue.glance(session.user.id, page, range)
    if (!glance) throw notFound('trigger')
    return c.json({ ...glance, now: c.var.services.now() })
  })
}
