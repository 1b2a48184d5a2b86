import type { Context } from 'hono'
import type { FC } from 'hono/jsx'
import { withoutUndefined } from '../../../../shared/json/without-undefined.ts'
import { TRIGGER_KINDS, type TriggerKind } from '../../../../shared/wire/trigger.ts'
import { KIND_NAMES } from '../../../browser/components/trigger-kind.tsx'
import type { AppEnv } from '../../../http/app-env.ts'
import { encodeListCursor, triggersListQuery } from '../../../http/triggers-list.ts'

const PATH = '/triggers'

export type Filter = {
  kind?: TriggerKind | undefined
  enabled?: boolean | undefined
  after?: { createdAt: number; id: string } | undefined
}

/** Without a valid filter, the page shows all triggers from the start. */
export function readFilter(c: Context<AppEnv>): Filter {
  const { kind, enabled, cursor } = c.req.query()
  const read = triggersListQuery.safeParse(withoutUndefined({ kind, enabled, cursor }))
  return read.success
    ? { kind: read.data.kind, enabled: read.data.enabled, after: read.data.cursor }
    : {}
}

export function filterPath({ kind, enabled, after }: Filter): string {
  const query = new URLSearchParams()
  if (kind !== undefined) query.set('kind', kind)
  if (enabled !== undefined) query.set('enabled', String(enabled))
  if (after) query.set('cursor', encodeListCursor(after))
  return query.size > 0 ? `${PATH}?${query.toString()}` : PATH
}

export const FilterNav: FC<{ filter: Filter }> = ({ filter: { kind, enabled } }) => (
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
