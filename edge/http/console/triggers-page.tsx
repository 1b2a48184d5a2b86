/** `GET /triggers`: the signed-in user's triggers, newest first. */
import type { Context } from 'hono'
import type { Session } from '../../identity/sessions.ts'
import { listTriggers, type TriggerList } from '../../triggers/trigger-index.ts'
import type { App, AppEnv } from '../app-env.ts'
import { page } from '../page.tsx'
import { requirePageSession } from './session-form.ts'
import { SwitchForm } from './trigger-actions.tsx'
import { TRIGGER_LOOKS } from './trigger-form/looks.ts'
import { type Filter, filterOf, Filters, pathOf } from './trigger-filters.tsx'
import { TriggerRow } from './trigger-row.tsx'

/** Triggers per page, few enough to scan without searching. */
const SHOWN = 25

export function registerTriggersPage(app: App): void {
  app.get('/triggers', async (c) => {
    const session = await requirePageSession(c)
    if (session instanceof Response) return session
    const filter = filterOf(c)
    const { db, now } = c.var.services
    const list = await listTriggers(db, now(), session.user.id, { ...filter, limit: SHOWN })
    return listPage(c, session, list, filter)
  })
}

async function listPage(
  c: Context<AppEnv>,
  session: Session,
  { triggers, total, next }: TriggerList,
  filter: Filter,
): Promise<Response> {
  const { kind, enabled, after } = filter
  const isFiltered = kind !== undefined || enabled !== undefined
  const isFirst = total === 0 && !isFiltered
  const done = DONE.find(([name]) => c.req.query(name) !== undefined)?.[1]
  const rows = await Promise.all(
    triggers.map(async (trigger) => (
      <TriggerRow trigger={trigger} action={await SwitchForm({ session, trigger, from: 'list' })} />
    )),
  )
  return page(
    c,
    { title: 'Triggers', style: TRIGGER_LOOKS, wide: true },
    <>
      {done !== undefined && (
        <p class="done" role="status">
          {done}
        </p>
      )}
      {isFirst && <Empty />}
      {!isFirst && (
        <div class="tools">
          <Filters filter={filter} />
          <a class="button" href="/triggers/new">
            New trigger
          </a>
        </div>
      )}
      {rows.length > 0 && <ul class="rows">{rows}</ul>}
      {rows.length === 0 && !isFirst && (
        <p class="card">
          {total === 0 ? 'None of your triggers is like this.' : 'There are no more.'}{' '}
          <a href="/triggers">Show all of them</a>
        </p>
      )}
      {!isFirst && (
        <p class="note">
          {total === 1 ? '1 trigger' : `${total} triggers`}
          {isFiltered && ' like this'}.{' '}
          {after && <a href={pathOf({ kind, enabled })}>Back to the first</a>}{' '}
          {next && (
            <a href={pathOf({ kind, enabled, after: next })} rel="next">
              Next
            </a>
          )}
        </p>
      )}
    </>,
  )
}

/** Confirmations, selected by the query after a redirect. */
const DONE = [
  ['deleted', 'The trigger was deleted, with its history and its key.'],
  ['enabled', 'The trigger goes on: it fires from now on.'],
  ['disabled', 'The trigger is paused: nothing fires it. Runs that are queued go on.'],
] as const

const Empty = () => (
  <section class="card">
    <h2>You have no triggers yet</h2>
    <p>
      A trigger runs an action of yours when something happens: another service calls, it is time,
      or a contract tells of an event. It needs the source of an action and a usage key that may
      execute it.
    </p>
    <p class="actions">
      <a class="button" href="/console#start">
        Take the first steps
      </a>
      <a class="button quiet" href="/triggers/new">
        New trigger
      </a>
    </p>
    <p class="note">
      The first steps make an account, a wallet, an action and its key, and bring them here.{' '}
      <a href="/docs">The documentation</a> has the rest, and{' '}
      <a href="/agent/tokens">programs that you approved</a> make triggers, too.
    </p>
  </section>
)
