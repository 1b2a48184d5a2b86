import type { Context } from 'hono'
import type { FC } from 'hono/jsx'
import { TRIGGER_KINDS, type TriggerKind } from '../../../shared/wire/trigger.ts'
import { KIND_NAMES } from '../../console/kind.tsx'
import type { AppEnv } from '../app-env.ts'
import { cursorOf, triggersListQuery } from '../triggers-list.ts'

const PATH = '/triggers'

export type Filter = {
  kind?: TriggerKind | undefined
  enabled?: boolean | undefined
  after?: { createdAt: number; id: string } | undefined
}

/** Falls back to the first page of all triggers. */
export function filterOf(c: Context<AppEnv>): Filter {
  const { kind, enabled, cursor } = c.req.query()
  const given = { kind, enabled, cursor }
  const present = Object.entries(given).filter(([, value]) => value !== undefined)
  const read = triggersListQuery.safeParse(Object.fromEntries(present))
  return read.success
    ? { kind: read.data.kind, enabled: read.data.enabled, after: read.data.cursor }
    : {}
}

export function pathOf({ kind, enabled, after }: Filter): string {
  const query = new URLSearchParams()
  if (kind !== undefined) query.set('kind', kind)
  if (enabled !== undefined) query.set('enabled', String(enabled))
  if (after) query.set('cursor', cursorOf(after))
  return query.size > 0 ? `${PATH}?${query.toString()}` : PATH
}

export const Filters: FC<{ filter: Filter }> = ({ filter: { kind, enabled } }) => (
  <nav aria-label="Filter triggers">
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
