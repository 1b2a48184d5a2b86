import type { Child, FC } from 'hono/jsx'
import type { ListedTrigger } from '../../../shared/wire/trigger.ts'
import { Kind } from '../../console/kind.tsx'
import { Badge, Facts, Time } from '../../console/parts.tsx'
import { UserText } from '../../console/user-text.tsx'
import { cronInWords } from '../../schedule/cron-in-words.ts'

/** @param action form to pause or resume the trigger */
export const TriggerRow: FC<{ trigger: ListedTrigger; action: Child }> = ({ trigger, action }) => {
  const { id, name, kind, enabled, disabled_reason, created_at, next_run_at } = trigger
  const facts: [string, Child][] = [['Fires', <Fires trigger={trigger} />]]
  if (kind === 'schedule' && enabled)
    facts.push([
      'Next run',
      next_run_at ? <Time at={Date.parse(next_run_at)} /> : 'none: the schedule has no more times',
    ])
  if (disabled_reason !== null)
    facts.push(['Reason', <UserText text={disabled_reason} max={600} />])
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
  return byService ? <Badge tone="bad">paused by the service</Badge> : <Badge>paused</Badge>
}

export const Fires: FC<{
  trigger: Pick<ListedTrigger, 'kind' | 'config' | 'webhook_url' | 'canonical_signature'>
}> = ({ trigger: { kind, config, ...trigger } }) => {
  switch (kind) {
    case 'webhook':
      return (
        <>
          on POST to <code>{trigger.webhook_url}</code>
        </>
      )
    case 'schedule': {
      const cron = String(config.cron)
      const words = cronInWords(cron)
      return (
        <>
          {words !== undefined && `${words} UTC: `}
          <code class="cron">
            <UserText text={cron} />
          </code>
        </>
      )
    }
    case 'chain_event':
      return (
        <>
          on{' '}
          <code>
            <UserText text={trigger.canonical_signature ?? String(config.event_signature)} />
          </code>{' '}
          from{' '}
          <code>
            <UserText text={String(config.contract_address)} />
          </code>{' '}
          on <UserText text={String(config.chain)} />
        </>
      )
  }
}
