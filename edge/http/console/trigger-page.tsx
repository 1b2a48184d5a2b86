import type { Context } from 'hono'
import type { FC } from 'hono/jsx'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { TriggerRecord } from '../../../shared/wire/trigger.ts'
import { Kind } from '../../console/kind.tsx'
import { Numbers, TriggerState } from '../../console/runs/trigger-state.tsx'
import { visible } from '../../console/user-text.tsx'
import type { Session } from '../../identity/sessions.ts'
import type { App, AppEnv } from '../app-env.ts'
import { notFound, queueOf } from '../owned-trigger.ts'
import { page } from '../page.tsx'
import { CHARTS_SCRIPT_PATH } from './charts-script.ts'
import { ChartSection, RunSection } from './run-section.tsx'
import { runQuery } from './run-query.ts'
import { RUNS_STYLE } from './runs-style.ts'
import { RUNS_SCRIPT_PATH } from './runs-script.ts'
import { requirePageSession } from './session-form.ts'
import { DoesCard, type TestEntered, TestCard } from './trigger-does.tsx'
import { TriggerFires } from './trigger-fires.tsx'
import { TriggerNotice } from './trigger-notice.tsx'

export function registerTriggerPage(app: App): void {
  app.get('/triggers/:id', async (c) => {
    const session = await requirePageSession(c)
    return session instanceof Response ? session : triggerPage(c, session, c.req.param('id'))
  })
}

/**
 * @param test rejected input of a test run, to show again with its error
 * @throws {ApiError} 404 if the user has no trigger with this ID
 */
export async function triggerPage(
  c: Context<AppEnv>,
  session: Session,
  id: string,
  { test, status = 200 }: { test?: TestEntered; status?: ContentfulStatusCode } = {},
): Promise<Response> {
  const queue = await queueOf(c, id)
  const query = runQuery(c.req.url, id)
  const [trigger, glance] = await Promise.all([
    queue.read(session.user.id) as Promise<TriggerRecord | undefined>,
    queue.glance(session.user.id, query.page, query.range ?? '24h'),
  ])
  if (!trigger || !glance) throw notFound('trigger')
  const { now, settings } = c.var.services
  const at = now()
  const script = new URL(RUNS_SCRIPT_PATH, settings.PUBLIC_URL)
  const charts = new URL(CHARTS_SCRIPT_PATH, settings.PUBLIC_URL)
  const shown = { id, glance, query, now: at }
  return page(
    c,
    {
      title: visible(trigger.name),
      status,
      style: RUNS_STYLE,
      wide: true,
      script: { url: script.href, modules: [charts.href], connect: [script.origin] },
    },
    <div id="trigger" data-trigger={id} data-kind={trigger.kind}>
      <TriggerNotice url={c.req.url} trigger={trigger} />
      <Notices url={c.req.url} trigger={trigger} />
      <p class="lead">
        <Kind kind={trigger.kind} />
      </p>
      <div id="state">
        <TriggerState state={glance} now={at} />
      </div>
      {glance.backfill && <Backfill backfill={glance.backfill} />}
      <div class="parts">
        <div class="fires">
          <TriggerFires trigger={trigger} now={at} />
        </div>
        <div class="did">
          <div id="numbers">
            <Numbers stats={glance.stats} kind={trigger.kind} />
          </div>
          <ChartSection {...shown} />
          <RunSection {...shown} />
        </div>
        <div class="does">
          <TestCard session={session} trigger={trigger} test={test} />
          <DoesCard session={session} trigger={trigger} />
        </div>
      </div>
      <script src={script.href} defer />
    </div>,
  )
}

const NEXT = {
  webhook:
    'Run the command under “Try it out”, or give the URL to the sender. The first run appears here.',
  schedule: 'The first run appears here at the next tick. To see one now, run a test.',
  chain_event: 'A run appears here for each log that matches. To see one now, run a test.',
} as const

/** The query is untrusted, so it only selects from fixed texts. */
const Notices: FC<{ url: string; trigger: TriggerRecord }> = ({ url, trigger }) => {
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

const Backfill: FC<{ backfill: NonNullable<TriggerRecord['backfill']> }> = ({
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
