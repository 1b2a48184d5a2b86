import type { Context } from 'hono'
import type { FC } from 'hono/jsx'
import type { Session } from '../../../identity/sessions.ts'
import { withActivity } from '../../../triggers/listed-activity.ts'
import { listTriggers, type TriggerList } from '../../../triggers/trigger-index.ts'
import type { App, AppEnv } from '../../../http/app-env.ts'
import { renderPage } from '../../layout/render-page.tsx'
import { requirePageSession } from '../../requests/session-form.ts'
import { SwitchForm } from '../actions/action-forms.tsx'
import { CHANGE_TEXTS } from '../detail/trigger-notice.tsx'
import { TRIGGERS_STYLE } from '../triggers-style.ts'
import { ListTable } from '../../../browser/components/elements.tsx'
import { TRIGGER_COLUMNS, TriggerListItem } from './trigger-list-item.tsx'
import { withoutUndefined } from '../../../../shared/json/without-undefined.ts'
import { TRIGGER_KINDS, type TriggerKind } from '../../../../shared/wire/trigger.ts'
import { KIND_NAMES } from '../../../browser/components/trigger-kind.tsx'
import { encodeListCursor, triggersListQuery } from '../../../http/triggers-list.ts'

const PATH = '/triggers'

export type Filter = {
  kind?: TriggerKind | undefined
  enabled?: boolean | undefined
  after?: { createdAt: number; id: string } | undefined
}

/** Without a valid filter, the page shows all triggers from the start. */
function readFilter(c: Context<AppEnv>): Filter {
  const { kind, enabled, cursor } = c.req.query()
  const read = triggersListQuery.safeParse(withoutUndefined({ kind, enabled, cursor }))
  return read.success
    ? { kind: read.data.kind, enabled: read.data.enabled, after: read.data.cursor }
    : {}
}

function filterPath({ kind, enabled, after }: Filter): string {
  const query = new URLSearchParams()
  if (kind !== undefined) query.set('kind', kind)
  if (enabled !== undefined) query.set('enabled', String(enabled))
  if (after) query.set('cursor', encodeListCursor(after))
  return query.size > 0 ? `${PATH}?${query.toString()}` : PATH
}

const FilterNav: FC<{ filter: Filter }> = ({ filter: { kind, enabled } }) => (
  <nav aria-label="Filter triggers">
    <ul class="filter">
      <FilterLink href={filterPath({ enabled })} isHere={kind === undefined} text="All kinds" />
      {TRIGGER_KINDS.map((each) => (
        <FilterLink
          href={filterPath({ kind: each, enabled })}
          isHere={kind === each}
          text={`${KIND_NAMES[each]}s`}
        />
      ))}
    </ul>
    <ul class="filter">
      <FilterLink href={filterPath({ kind })} isHere={enabled === undefined} text="Any state" />
      <FilterLink
        href={filterPath({ kind, enabled: true })}
        isHere={enabled === true}
        text="Enabled"
      />
      <FilterLink
        href={filterPath({ kind, enabled: false })}
        isHere={enabled === false}
        text="Paused"
      />
    </ul>
  </nav>
)

const FilterLink = ({ href, isHere, text }: { href: string; isHere: boolean; text: string }) => (
  <li>
    <a href={href} {...(isHere && { 'aria-current': 'true' as const })}>
      {text}
    </a>
  </li>
)

const TRIGGERS_PER_PAGE = 25

export function registerTriggersPage(app: App): void {
  app.get('/triggers', async (c) => {
    const session = await requirePageSession(c)
    if (session instanceof Response) return session
    const filter = readFilter(c)
    const { db, now } = c.var.services
    const list = await listTriggers(db, now(), session.user.id, {
      ...filter,
      limit: TRIGGERS_PER_PAGE,
    })
    const shown = await withActivity(c.env, session.user.id, list.triggers, now())
    return listPage(c, session, { ...list, ...shown }, filter)
  })
}

function listPage(
  c: Context<AppEnv>,
  session: Session,
  { triggers, total, next, isComplete }: TriggerList & { isComplete: boolean },
  filter: Filter,
): Promise<Response> {
  const { kind, enabled, after } = filter
  const isFiltered = kind !== undefined || enabled !== undefined
  const isFirst = total === 0 && !isFiltered
  const done = LIST_NOTICES.find(([name]) => c.req.query(name) !== undefined)?.[1]
  return renderPage(
    c,
    { title: 'Triggers', style: TRIGGERS_STYLE, wide: true },
    <>
      {done !== undefined && (
        <p class="done" role="status">
          {done}
        </p>
      )}
      {isFirst && <NoTriggers />}
      {!isFirst && (
        <div class="tools">
          <FilterNav filter={filter} />
          <a class="button" href="/triggers/new">
            New trigger
          </a>
        </div>
      )}
      {triggers.length > 0 && (
        <ListTable label="Triggers" columns={TRIGGER_COLUMNS}>
          {triggers.map((trigger) => (
            <TriggerListItem
              trigger={trigger}
              now={c.var.services.now()}
              action={<SwitchForm session={session} trigger={trigger} from="list" />}
            />
          ))}
        </ListTable>
      )}
      {!isComplete && (
        <p class="warn">Run statistics are temporarily unavailable. Reload the page later.</p>
      )}
      {triggers.length === 0 && !isFirst && (
        <p class="card">
          {total === 0 ? 'No triggers match these filters.' : 'No more triggers.'}{' '}
          <a href="/triggers">Show all triggers</a>
        </p>
      )}
      {!isFirst && (
        <p class="note">
          {total === 1 ? '1 trigger' : `${total} triggers`}
          {isFiltered && ' matching'}.{' '}
          {after && <a href={filterPath({ kind, enabled })}>Back to the first page</a>}{' '}
          {next && (
            <a href={filterPath({ kind, enabled, after: next })} rel="next">
              Next
            </a>
          )}
        </p>
      )}
    </>,
  )
}

const LIST_NOTICES = [
  ['deleted', 'Trigger deleted, including its run history and sealed key.'],
  ['enabled', CHANGE_TEXTS.enabled],
  ['disabled', CHANGE_TEXTS.disabled],
] as const

const NoTriggers = () => (
  <section class="card">
    <h2>No triggers yet</h2>
    <p>
      A trigger runs an action when something happens: a webhook arrives, a schedule is due, or a
      contract emits an event. It needs the source of an action and a usage key that may execute it.
    </p>
    <p class="actions">
      <a class="button" href="/console#start">
        Get started
      </a>
      <a class="button quiet" href="/triggers/new">
        New trigger
      </a>
    </p>
    <p class="note">
      The first steps create an account, a wallet, an action and a usage key, and bring you back
      here. See <a href="/docs">the documentation</a> for more.{' '}
      <a href="/agent/tokens">Authorized programs</a> can also create triggers.
    </p>
  </section>
)
