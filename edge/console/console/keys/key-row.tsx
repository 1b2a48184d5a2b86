import { useState } from 'hono/jsx/dom'
import type { AccountOperations, Group, UsageKey } from '../../../../shared/client/core/account.ts'
import { Armed } from '../../armed.tsx'
import { Folded } from '../../copy.tsx'
import { Badge, Facts, Time } from '../../parts.tsx'
import { UserText } from '../../user-text.tsx'
import { submitted } from '../form.ts'
import { dollars } from '../../dollars.ts'
import { windowInWords } from '../money.ts'
import type { Change } from '../groups/change-group.tsx'
import { HEADING_MAX_CHARACTERS, shownName } from '../permissions.ts'
import { CapFields, capOf } from './cap-fields.tsx'
import { rightsInWords } from './rights-in-words.ts'

type KeyRowProps = {
  usageKey: UsageKey
  groups: Group[]
  client: AccountOperations
  change: Change
}

export const KeyRow = ({ usageKey: key, groups, client, change }: KeyRowProps) => {
  const usage_api_key = key.api_key_hash
  return (
    <li>
      <div>
        <h3>
          <UserText text={key.name} max={HEADING_MAX_CHARACTERS} />
        </h3>
        {key.description !== '' && (
          <p class="note">
            <UserText text={key.description} />
          </p>
        )}
        <Facts
          facts={[
            ['Hash', <Folded text={usage_api_key} of={`the hash of ${shownName(key.name)}`} />],
            ...rightsInWords(key, groups).map(([name, what]): [string, string] => [name, what]),
            ['Spending', <Spent usageKey={key} />],
            ['Created', key.created_at ? <Time at={Date.parse(key.created_at)} /> : 'unknown'],
            ['Last used', key.last_used_at ? <Time at={Date.parse(key.last_used_at)} /> : 'never'],
          ]}
        />
        <ChangeCap usageKey={key} client={client} change={change} />
      </div>
      <Armed
        text="Remove"
        label={`Remove the usage key ${shownName(key.name)}`}
        consequence="Programs and triggers that use this key stop working immediately. This cannot be undone."
        confirm="Remove key"
        onConfirm={() =>
          void change('Remove the usage key', () => client.removeUsageApiKey({ usage_api_key }))
        }
      />
    </li>
  )
}

/** Fraction of the cap above which the meter shows a warning. */
const NEARLY = 0.8

const Spent = ({ usageKey }: { usageKey: UsageKey }) => {
  const { spend_cap_cents: cap, spend_window_seconds: seconds, spent_cents: spent } = usageKey
  if (cap === null || seconds === null)
    return (
      <>
        no cap <Badge tone="bad">unlimited</Badge>
      </>
    )
  const said = `${dollars(spent ?? 0)} of ${dollars(cap)} per ${windowInWords(seconds)}`
  return (
    <>
      {said} {(spent ?? 0) >= cap && <Badge tone="bad">reached</Badge>}
      <meter
        min={0}
        max={Math.max(cap, 1)}
        high={cap * NEARLY}
        optimum={0}
        value={Math.min(spent ?? 0, cap)}
        aria-label={said}
      />
    </>
  )
}

type ChangeCapProps = Omit<KeyRowProps, 'groups'>

const ChangeCap = ({ usageKey, client, change }: ChangeCapProps) => {
  const { api_key_hash: usage_api_key } = usageKey
  const suffix = `-${usage_api_key}`
  const [problem, setProblem] = useState('')
  const submit = (event: Event) => {
    const cap = capOf(submitted(event), suffix)
    if (!cap) return setProblem('Enter a valid amount in dollars.')
    setProblem('')
    const changed = cap.spend_cap_cents === null ? { remove_spend_cap: true } : cap
    void change('Change spending cap', () =>
      client.updateUsageApiKey({ usage_api_key, ...changed }),
    )
  }
  return (
    <details>
      <summary>Change spending cap</summary>
      <form onSubmit={submit}>
        <CapFields
          suffix={suffix}
          cents={usageKey.spend_cap_cents}
          seconds={usageKey.spend_window_seconds}
        />
        {problem !== '' && (
          <p class="error" role="alert">
            {problem}
          </p>
        )}
        <button type="submit">Change spending cap</button>
      </form>
    </details>
  )
}
