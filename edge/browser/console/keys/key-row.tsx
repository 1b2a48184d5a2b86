import type { Child } from 'hono/jsx'
import { useState } from 'preact/hooks'
import type { AccountOperations, Group, UsageKey } from '../../../../shared/client/core/account.ts'
import { TwoStepButton } from '../../components/two-step-button.tsx'
import { ShortenedId } from '../../components/copy-button.tsx'
import { Badge, FactList, Time } from '../../components/elements.tsx'
import { LazyDetails } from '../../components/lazy-details.tsx'
import { DescriptionNote, UserText } from '../../components/user-text.tsx'
import { readSubmittedForm } from '../submitted-form.ts'
import { formatUsd } from '../../../../shared/usd.ts'
import { HEADING_MAX_CHARACTERS, displayName } from '../permissions.ts'
import type { PerformChange } from '../view.ts'
import { CapFields, readCap } from './cap-fields.tsx'
import { describeExpiry, describeLimits } from './describe-limits.ts'
import { describeRights } from './describe-rights.ts'
import { LimitFields } from './limit-fields.tsx'
import { readLimits, replacingLimits } from './read-limits.ts'
import { describeWindow } from './spend-windows.ts'

type KeyRowProps = {
  usageKey: UsageKey
  groups: Group[]
  client: AccountOperations
  change: PerformChange
}

export const KeyRow = ({ usageKey: key, groups, client, change }: KeyRowProps) => {
  const usage_api_key = key.api_key_hash
  return (
    <li>
      <div>
        <h3>
          <UserText text={key.name} max={HEADING_MAX_CHARACTERS} />
        </h3>
        <DescriptionNote text={key.description} />
        <FactList
          facts={[
            [
              'Hash',
              <ShortenedId text={usage_api_key} of={`the hash of ${displayName(key.name)}`} />,
            ],
            ...describeRights(key, groups).map(([name, what]): [string, string] => [name, what]),
            ['Spending', <SpendingMeter usageKey={key} />],
            ...(key.expires_at
              ? [['Expires', <ExpiryTime at={key.expires_at} />] as [string, Child]]
              : []),
            ...describeLimits(key).map(([name, what]): [string, string] => [name, what]),
            ['Created', key.created_at ? <Time at={Date.parse(key.created_at)} /> : 'unknown'],
            ['Last used', key.last_used_at ? <Time at={Date.parse(key.last_used_at)} /> : 'never'],
          ]}
        />
        <ChangeCapForm usageKey={key} client={client} change={change} />
        <ChangeLimitsForm usageKey={key} client={client} change={change} />
      </div>
      <TwoStepButton
        text="Remove"
        label={`Remove the usage key ${displayName(key.name)}`}
        consequence="Programs and triggers that use this key stop working immediately. This cannot be undone."
        confirm="Remove key"
        onConfirm={() =>
          void change('Remove the usage key', () => client.removeUsageApiKey({ usage_api_key }))
        }
      />
    </li>
  )
}

const ExpiryTime = ({ at }: { at: string }) => {
  const expiry = describeExpiry(at, Date.now())
  return (
    <>
      <Time at={Date.parse(at)} />{' '}
      {expiry && <Badge {...(expiry.tone && { tone: expiry.tone })}>{expiry.text}</Badge>}
    </>
  )
}

/** Fraction of the cap above which the meter shows a warning. */
const NEARLY = 0.8

const SpendingMeter = ({ usageKey }: { usageKey: UsageKey }) => {
  const { spend_cap_cents: cap, spend_window_seconds: seconds, spent_cents: spent } = usageKey
  if (cap === null || seconds === null)
    return (
      <>
        no cap <Badge tone="bad">unlimited</Badge>
      </>
    )
  const text = `${formatUsd(spent ?? 0)} of ${formatUsd(cap)} per ${describeWindow(seconds)}`
  return (
    <>
      {text} {(spent ?? 0) >= cap && <Badge tone="bad">reached</Badge>}
      <meter
        min={0}
        max={Math.max(cap, 1)}
        high={cap * NEARLY}
        optimum={0}
        value={Math.min(spent ?? 0, cap)}
        aria-label={text}
      />
    </>
  )
}

type ChangeCapFormProps = Omit<KeyRowProps, 'groups'>

const ChangeCapForm = ({ usageKey, client, change }: ChangeCapFormProps) => {
  const { api_key_hash: usage_api_key } = usageKey
  const suffix = `-${usage_api_key}`
  const [problem, setProblem] = useState('')
  const submit = (event: Event) => {
    const cap = readCap(readSubmittedForm(event), suffix)
    if (!cap) return setProblem('Enter a valid amount in dollars.')
    setProblem('')
    const changed = cap.spend_cap_cents === null ? { remove_spend_cap: true } : cap
    void change('Change spending cap', () =>
      client.updateUsageApiKey({ usage_api_key, ...changed }),
    )
  }
  return (
    <LazyDetails summary="Change spending cap">
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
        <button>Change spending cap</button>
      </form>
    </LazyDetails>
  )
}

const ChangeLimitsForm = ({ usageKey, client, change }: ChangeCapFormProps) => {
  const { api_key_hash: usage_api_key } = usageKey
  const suffix = `-${usage_api_key}`
  const submit = (event: Event) => {
    const limits = replacingLimits(readLimits(readSubmittedForm(event), suffix))
    void change('Change limits', () => client.updateUsageApiKey({ usage_api_key, ...limits }))
  }
  return (
    <LazyDetails summary="Change limits">
      <form onSubmit={submit}>
        <LimitFields suffix={suffix} limits={usageKey} />
        <button>Change limits</button>
      </form>
    </LazyDetails>
  )
}
