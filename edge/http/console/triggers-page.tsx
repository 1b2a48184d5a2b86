/** `GET /triggers`: the triggers of who is signed in, newest first. */
import type { Context } from 'hono'
import type { Child, FC } from 'hono/jsx'
import {
  type ListedTrigger,
  TRIGGER_KINDS,
  type TriggerKind,
} from '../../../shared/wire/trigger.ts'
import { Kind, KIND_NAMES } from '../../console/kind.tsx'
import { Badge, Facts, Time } from '../../console/parts.tsx'
import { UserText } from '../../console/user-text.tsx'
import { cronInWords } from '../../schedule/cron-in-words.ts'
import type { Session } from '../../identity/sessions.ts'
import { listTriggers, type TriggerList } from '../../triggers/trigger-index.ts'
import type { App, AppEnv } from '../app-env.ts'
import { page } from '../page.tsx'
import { cursorOf, triggersListQuery } from '../triggers-list.ts'
import { requirePageSession } from './session-form.ts'
import { SwitchForm } from './trigger-actions.tsx'
import { TRIGGER_LOOKS } from './trigger-form/looks.ts'

const PATH = '/triggers'

/** Triggers on a page: what one looks through without searching. */
const SHOWN = 25

export function registerTriggersPage(app: App): void {
  app.get(PATH, async (c) => {
    const session = await requirePageSession(c)
    if (session instanceof Response) return session
    const filter = filterOf(c)
    const { db, now } = c.var.services
    const list = await listTriggers(db, now(), session.user.id, { ...filter, limit: SHOWN })
    return listPage(c, session, list, filter)
  })
}

type Filter = {
  kind?: TriggerKind | undefined
  enabled?: boolean | undefined
  after?: { createdAt: number; id: string } | undefined
}

/** A link that is not one of ours shows the first page of all. */
function filterOf(c: Context<AppEnv>): Filter {
  const { kind, enabled, cursor } = c.req.query()
  const given = { kind, enabled, cursor }
  const present = Object.entries(given).filter(([, value]) => value !== undefined)
  const read = triggersListQuery.safeParse(Object.fromEntries(present))
  return read.success
    ? { kind: read.data.kind, enabled: read.data.enabled, after: read.data.cursor }
    : {}
}

function pathOf({ kind, enabled, after }: Filter): string {
  const query = new URLSearchParams()
  if (kind !== undefined) query.set('kind', kind)
  if (enabled !== undefined) query.set('enabled', String(enabled))
  if (after) query.set('cursor', cursorOf(after))
  return query.size > 0 ? `${PATH}?${query.toString()}` : PATH
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
      <Row trigger={trigger} action={await SwitchForm({ session, trigger, from: 'list' })} />
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
          <a href={PATH}>Show all of them</a>
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

/** In the query of the page, after what was done on it. */
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
      <a class="button" href="/triggers/new">
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

const Filters: FC<{ filter: Filter }> = ({ filter: { kind, enabled } }) => (
  <nav aria-label="Which triggers">
    <ul class="filter">
      <FilterLink href={pathOf({ enabled })} isHere={kind === undefined} text="All kinds" />
      {TRIGGER_KINDS.map((each) => (
        <FilterLink
          href={pathOf({ kind: each, enabled })}
          isHere={kind === each}
          text={`${KIND_NAMES[each]}s`}
        />
      ))}
    </ul>
    <ul class="filter">
      <FilterLink href={pathOf({ kind })} isHere={enabled === undefined} text="Any state" />
      <FilterLink href={pathOf({ kind, enabled: true })} isHere={enabled === true} text="Enabled" />
      <FilterLink
        href={pathOf({ kind, enabled: false })}
        isHere={enabled === false}
        text="Paused"
      />
    </ul>
  </nav>
)

const FilterLink: FC<{ href: string; isHere: boolean; text: string }> = ({
  href,
  isHere,
  text,
}) => (
  <li>
    <a href={href} {...(isHere && { 'aria-current': 'true' as const })}>
      {text}
    </a>
  </li>
)

const Row: FC<{ trigger: ListedTrigger; action: Child }> = ({ trigger, action }) => {
  const { id, name, kind, enabled, disabled_reason, created_at, next_run_at } = trigger
  const facts: [string, Child][] = [['Fires', <Fires trigger={trigger} />]]
  if (kind === 'schedule' && enabled)
    facts.push([
      'Next run',
      next_run_at ? <Time at={Date.parse(next_run_at)} /> : 'none: it names no time any more',
    ])
  if (disabled_reason !== null)
    facts.push(['Paused because', <UserText text={disabled_reason} max={600} />])
  facts.push(['Created', <Time at={Date.parse(created_at)} />])
  return (
    <li>
      <div>
        <h2>
          <a href={`/triggers/${id}`}>
            <UserText text={name} />
          </a>{' '}
          <State enabled={enabled} byService={disabled_reason !== null} />
        </h2>
        <p>
          <Kind kind={kind} />
        </p>
        <Facts facts={facts} />
      </div>
      <div class="actions">
        <a class="button quiet" href={`/triggers/${id}/edit`} aria-label={`Edit ${name}`}>
          Edit
        </a>
        {action}
      </div>
    </li>
  )
}

const State: FC<{ enabled: boolean; byService: boolean }> = ({ enabled, byService }) => {
  if (enabled) return <Badge tone="good">enabled</Badge>
  return byService ? <Badge tone="bad">stopped</Badge> : <Badge>paused</Badge>
}

/** What fires it, as its owner would say it. */
const Fires: FC<{ trigger: ListedTrigger }> = ({ trigger: { kind, config, ...trigger } }) => {
  switch (kind) {
    case 'webhook':
      return (
        <>
          by POST to <code>{trigger.webhook_url}</code>
        </>
      )
    case 'schedule': {
      const cron = String(config.cron)
      const words = cronInWords(cron)
      return (
        <>
          {words !== undefined && `${words} UTC: `}
          <code>
            <UserText text={cron} />
          </code>
        </>
      )
    }
    case 'chain_event':
      return (
        <>
          by{' '}
          <code>
            <UserText text={trigger.canonical_signature ?? String(config.event_signature)} />
          </code>{' '}
          of{' '}
          <code>
            <UserText text={String(config.contract_address)} />
          </code>{' '}
          on <UserText text={String(config.chain)} />
        </>
      )
  }
}
