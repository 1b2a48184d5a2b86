import { useState } from 'preact/hooks'
import type { Child } from 'hono/jsx'
import { Badge } from '../../components/elements.tsx'
import { ShortenedId } from '../../components/copy-button.tsx'
import { TRIGGER_PREFILL_KEY, type TriggerPrefill } from '../../trigger-form/prefill-form.ts'
import { type Connection, hasFullAccess, priceOfChange } from '../connection.ts'
import { Loaded, useLoaded } from '../loaded.tsx'
import {
  FIRST_ACTION,
  type FirstStep,
  type FirstStepResults,
  newWebhookSecret,
  readFirstStepResults,
  FIRST_STEPS,
} from '../start/first-steps.ts'
import { reportStep } from '../progress.ts'
import type { View, ViewProps } from '../view.ts'

const resultsByConnection = new WeakMap<Connection, FirstStepResults>()

export const StartView: View = (props) => {
  const { connection } = props
  if (!hasFullAccess(connection))
    return (
      <p class="warn">
        The first steps create a wallet, a group and a usage key, which requires the account key.
        With a usage key, use the other views.
      </p>
    )
  return <AccountStart {...props} />
}

const AccountStart: View = ({ connection, perform }) => {
  const made = useLoaded(
    async () => resultsByConnection.get(connection) ?? readFirstStepResults(connection),
  )
  return (
    <>
      <p>
        Set up a webhook that signs messages, step by step. Each step costs at most{' '}
        {priceOfChange(connection)}.
      </p>
      <Loaded of={made} what="wallets">
        {(before) => <Steps connection={connection} perform={perform} before={before} />}
      </Loaded>
    </>
  )
}

type StepsProps = Pick<ViewProps, 'connection' | 'perform'> & { before: FirstStepResults }

const Steps = ({ connection, perform, before }: StepsProps) => {
  const [made, setMade] = useState<FirstStepResults>(before)
  const keep = (next: FirstStepResults) => {
    resultsByConnection.set(connection, next)
    setMade(next)
  }
  const left = FIRST_STEPS.filter(({ field }) => made[field] === undefined)
  /** Starts from the stored results, because steps may have been completed while another view was open. */
  const runSteps = async (steps: readonly FirstStep[]) => {
    let current = resultsByConnection.get(connection) ?? made
    for (const { field, press, make } of steps) {
      if (current[field] !== undefined) continue
      reportStep(press)
      current = await make(connection.client, current)
      keep(current)
    }
    keep(current)
  }
  const press = async (what: string, steps: readonly FirstStep[]) => {
    await perform(what, () => runSteps(steps))
    focusNextStep()
  }
  const runAll = `Run all ${left.length} steps`
  return (
    <ol class="steps">
      <Step title="Account" about="You are connected to your account." state="made" />
      {FIRST_STEPS.map((step) => (
        <Step
          key={step.field}
          title={step.title}
          about={step.about}
          state={made[step.field] !== undefined ? 'made' : step === left[0] ? 'next' : 'later'}
          result={<Result field={step.field} made={made} />}
        >
          <button type="button" onClick={() => void press(step.press, [step])}>
            {step.press}
          </button>
          {left.length > 1 && (
            <button type="button" class="quiet" onClick={() => void press(runAll, left)}>
              {runAll}
            </button>
          )}
        </Step>
      ))}
      <Step
        title="Trigger"
        about={`Runs the action for each incoming webhook. Triggers belong to a user: you sign in by e-mail first, and then continue with a prefilled form. ${KEY_NOTICES[connection.by]}`}
        state={left.length === 0 ? 'next' : 'later'}
      >
        <button type="button" onClick={() => openTriggerForm(made)}>
          Create the webhook trigger
        </button>
      </Step>
    </ol>
  )
}

/** Focuses the next step, because the pressed button is removed when its step is done. */
function focusNextStep(): void {
  requestAnimationFrame(() => {
    if (document.activeElement === document.body)
      document.querySelector<HTMLElement>('.steps .next button')?.focus()
  })
}

const KEY_NOTICES = {
  key: 'This page discards the account key unless it is kept in this tab.',
  wallet: 'To return here, connect your wallet again.',
} as const

type StepProps = {
  title: string
  about: string
  state: 'made' | 'next' | 'later'
  result?: Child
  children?: Child
}

const Step = ({ title, about, state, result, children }: StepProps) => (
  <li class={state}>
    <h3>
      {title} {state === 'made' && <Badge tone="good">done</Badge>}
    </h3>
    <p>{about}</p>
    {state === 'made' && result}
    {state === 'next' && <div class="actions">{children}</div>}
  </li>
)

const Result = ({ field, made }: { field: keyof FirstStepResults; made: FirstStepResults }) => {
  switch (field) {
    case 'wallet':
      return <ShortenedId text={made.wallet?.address ?? ''} of="the address of the wallet" />
    case 'cid':
      return (
        <>
          <ShortenedId text={made.cid ?? ''} of="the CID of the action" />
          <details>
            <summary>Source</summary>
            <pre>
              <code>{FIRST_ACTION}</code>
            </pre>
          </details>
        </>
      )
    case 'groupId':
      return (
        <p>
          Group {made.groupId}, in <a href="#groups">Groups</a>.
        </p>
      )
    case 'usageKey':
      return <p class="note">Kept in this page for the trigger, and not shown.</p>
  }
}

/** Passes the settings through `sessionStorage`, where they remain during sign-in. The trigger form removes them. */
function openTriggerForm({ wallet, usageKey }: FirstStepResults): void {
  const trigger: TriggerPrefill = {
    name: 'Sign each message',
    action_code: FIRST_ACTION,
    usage_api_key: usageKey!,
    default_params: { wallet: wallet!.address, secret: newWebhookSecret() },
  }
  sessionStorage.setItem(TRIGGER_PREFILL_KEY, JSON.stringify(trigger))
  location.assign('/triggers/new?kind=webhook')
}
