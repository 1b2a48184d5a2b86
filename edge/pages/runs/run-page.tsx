import type { Child } from 'hono/jsx'
import type { RunRecord, TriggerRecord } from '../../../shared/wire/trigger.ts'
import { FactList } from '../../browser/components/elements.tsx'
import { RunDetails } from '../../browser/runs/run-details.tsx'
import { type RunView, type RunWithTransactions, toRunView } from '../../browser/runs/run-view.ts'
import { ReceiptTransactions } from '../../browser/runs/receipt-transactions.tsx'
import { UserText } from '../../browser/components/user-text.tsx'
import type { Session } from '../../identity/sessions.ts'
import type { App } from '../../http/app-env.ts'
import { notFound, queueOfRun } from '../../http/trigger-lookup.ts'
import { coreApi } from '../layout/core-api.ts'
import { configuredExplorers, ExplorerData } from '../layout/explorers.tsx'
import { renderPage } from '../layout/render-page.tsx'
import { RUNS_STYLE } from './runs-style.ts'
import { CsrfField } from '../requests/csrf-field.tsx'
import { requirePageSession } from '../requests/session-form.ts'

export const replaySubject = (id: string) => `runs/replay/${id}`
export const cancelSubject = (id: string) => `runs/cancel/${id}`

export function registerRunPage(app: App): void {
  app.get('/runs/:id', async (c) => {
    const session = await requirePageSession(c)
    if (session instanceof Response) return session
    const id = c.req.param('id')
    const queue = await queueOfRun(c, id)
    const [record, trigger] = await Promise.all([
      queue.run(session.user.id, id) as Promise<RunRecord | undefined>,
      queue.read(session.user.id) as Promise<TriggerRecord | undefined>,
    ])
    if (!record || !trigger) throw notFound('run')
    const run = toRunView(record)
    const { now } = c.var.services
    const isLive = run.finished_at === null
    const { connect, data } = coreApi(c)
    const explorers = configuredExplorers(c)
    return renderPage(
      c,
      {
        title: TITLES[kindOf(record)],
        style: RUNS_STYLE,
        wide: true,
        hasLists: false,
        script: { name: 'runs', modules: ['transactions', 'console', 'verifier'], connect },
      },
      <>
        <FactList
          facts={[
            [
              'Trigger',
              <a href={`/triggers/${run.trigger_id}`}>
                <UserText text={trigger.name} />
              </a>,
            ],
            ['Run', <code>{run.id}</code>],
            ['Action', <code>{run.action_cid}</code>],
            ['Trace', <code>{run.trace_id}</code>],
            ...(run.replay_of === null ? [] : [replayFact(run.replay_of)]),
          ]}
        />
        <div id="run" data-run={run.id} {...(isLive && { 'data-live': '' })}>
          <RunDetails run={run} now={now()} />
        </div>
        <ExplorerData explorers={explorers} />
        <div id="transactions" {...data} data-run={JSON.stringify(transactionsOf(run))}>
          {run.transactions !== null && run.transactions.length > 0 && (
            <section class="card" aria-labelledby="transactions-title">
              <h2 id="transactions-title">Transactions</h2>
              <ReceiptTransactions explorers={explorers} transactions={run.transactions} />
            </section>
          )}
        </div>
        {isLive && (
          <noscript>
            <p>
              <a href={`/runs/${run.id}`}>Reload to see the result</a>
            </p>
          </noscript>
        )}
        <RunForms session={session} run={record} />
        <p id="heard" class="heard" role="status" />
      </>,
    )
  })
}

const transactionsOf = ({ id, transactions, finished_at }: RunView): RunWithTransactions => ({
  id,
  transactions,
  finished_at,
})

const replayFact = (id: string): [string, Child] => [
  'Replay of',
  <a href={`/runs/${id}`}>an earlier run</a>,
]

const TITLES = { run: 'Run', test: 'Test run', replay: 'Replayed run' } as const

const kindOf = ({ test, replay_of }: RunRecord) =>
  replay_of !== null ? 'replay' : test ? 'test' : 'run'

function RunForms({ session, run: { id, status } }: { session: Session; run: RunRecord }) {
  return (
    <>
      <form id="cancel" method="post" action={`/runs/${id}/cancel`} hidden={status !== 'queued'}>
        <CsrfField session={session} subject={cancelSubject(id)} />
        <p class="actions">
          <button class="danger">Cancel run</button>
        </p>
      </form>
      <section class="card" aria-labelledby="replay">
        <h2 id="replay">Replay</h2>
        <p>
          Starts a new run with the same input, byte for byte. It is charged like any other run.
        </p>
        <form method="post" action={`/runs/${id}/replay`}>
          <CsrfField session={session} subject={replaySubject(id)} />
          <p class="actions">
            <button name="code" value="current">
              Replay with current code
            </button>
            <button name="code" value="original" class="quiet">
              Replay with original code
            </button>
          </p>
        </form>
      </section>
    </>
  )
}
