/** `#start`: from an account to a webhook whose message is signed, a press each. */
import { useState } from 'hono/jsx/dom'
import type { Child } from 'hono/jsx'
import { Badge } from '../../parts.tsx'
import { Folded } from '../../copy.tsx'
import { NEW_TRIGGER, type NewTrigger } from '../../new-trigger.ts'
import { type Connection, isWholeAccount } from '../connection.ts'
import { FIRST_ACTION } from '../start/first-action.ts'
import { type FirstStep, type Made, newSecret, STEPS } from '../start/steps.ts'
import { tellStep } from '../told.ts'
import { priceOfChange } from '../price-of-change.ts'
import type { View } from '../view.ts'

/** Of each connection: who looks at another view, and comes back, goes on. */
const madeBy = new WeakMap<Connection, Made>()

export const StartView: View = ({ connection, perform }) => {
  const [made, setMade] = useState<Made>(madeBy.get(connection) ?? {})
  const keep = (next: Made) => {
    madeBy.set(connection, next)
    setMade(next)
    return next
  }
  if (!isWholeAccount(connection))
    return (
      <p class="warn">
        The first steps make a wallet, a group and a key: that needs the account key. A usage key
        does what it was given, in the other views.
      </p>
    )
  const left = STEPS.filter(({ field }) => made[field] === undefined)
  const doOne = ({ press, make }: FirstStep) =>
    perform(press, async () => keep(await make(connection.client, made)))
  const doAll = () =>
    perform('Take the first steps', async () => {
      let so = made
      for (const { press, make } of left) {
        tellStep(press)
        so = keep(await make(connection.client, so))
      }
      return so
    })
  return (
    <>
      <p>
        In five presses from here to a webhook that signs: what each makes is yours to keep, and
        costs {priceOfChange(connection)} at most.
      </p>
      <ol class="steps">
        <Step title="An account" about="You are connected to it." state="made" />
        {STEPS.map((step) => (
          <Step
            key={step.field}
            title={step.title}
            about={step.about}
            state={made[step.field] !== undefined ? 'made' : step === left[0] ? 'next' : 'later'}
            result={<Result field={step.field} made={made} />}
          >
            <button type="button" onClick={() => void doOne(step)}>
              {step.press}
            </button>
            {left.length > 1 && (
              <button type="button" class="quiet" onClick={() => void doAll()}>
                All {left.length} at once
              </button>
            )}
          </Step>
        ))}
        <Step
          title="A trigger"
          about="It runs the action for each webhook that comes in. Triggers belong to a person: you sign in by e-mail on the way, and find its form filled in. This page forgets the account key, unless this tab keeps it."
          state={left.length === 0 ? 'next' : 'later'}
        >
          <button type="button" onClick={() => handOver(made)}>
            Make the webhook trigger
          </button>
        </Step>
      </ol>
    </>
  )
}

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

const Result = ({ field, made }: { field: keyof Made; made: Made }) => {
  switch (field) {
    case 'wallet':
      return <Folded text={made.wallet?.address ?? ''} of="the address of the wallet" />
    case 'cid':
      return (
        <>
          <Folded text={made.cid ?? ''} of="the CID of the action" />
          <details>
            <summary>Its source</summary>
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
      return <p class="note">Kept in this page for the trigger, and shown nowhere.</p>
  }
}

/** Within this tab: it outlives the sign-in, and the form takes it out. */
function handOver({ wallet, usageKey }: Made): void {
  const trigger: NewTrigger = {
    name: 'Sign each message',
    action_code: FIRST_ACTION,
    usage_api_key: usageKey!,
    default_params: { wallet: wallet!.address, secret: newSecret() },
  }
  sessionStorage.setItem(NEW_TRIGGER, JSON.stringify(trigger))
  location.assign('/triggers/new?kind=webhook')
}
