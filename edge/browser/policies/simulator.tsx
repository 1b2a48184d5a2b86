import { useState } from 'preact/hooks'
import type { FC } from 'hono/jsx'
import type { SimulatedSignature } from '../../../shared/client/core/account.ts'
import type { Policy } from '../../../shared/policies/policy.ts'
import { Badge } from '../components/elements.tsx'
import { Field, LiveTextArea, Select } from '../components/form-fields.tsx'
import { UserText } from '../components/user-text.tsx'
import { parseParams } from '../console/actions/parse-params.ts'
import { formatFailure } from '../format/describe-failure.ts'
import { formatDocument } from './format-document.ts'
import {
  generateRequest,
  initialRequest,
  type RequestField,
  type RequestFields,
  type RequestName,
  REQUESTS,
} from './requests.ts'
import type { Simulation } from './simulate-draft.ts'
import { SumBars } from './sum-bars.tsx'

type Props = {
  /** Prefix of the IDs of the fields. */
  prefix: string
  /** Policies to choose from. */
  choices: readonly { title: string; policy: Policy }[]
  simulate: (simulation: Simulation) => Promise<SimulatedSignature>
}

type Result =
  | { state: 'running' }
  | { state: 'failed'; failure: unknown }
  | { state: 'done'; answer: SimulatedSignature; policy: Policy }

const TEXT_MAX = 2_000

export const Simulator: FC<Props> = ({ prefix, choices, simulate }) => {
  const [initial] = useState(() => initialRequest(choices[0]!.policy.document))
  const [name, setName] = useState<RequestName>(initial.name)
  const [fields, setFields] = useState<RequestFields>(initial.fields)
  /** The request as edited by hand. Undefined while it is generated from the fields. */
  const [edited, setEdited] = useState<string | undefined>(undefined)
  const [chosen, setChosen] = useState(0)
  const [action, setAction] = useState('')
  const [problem, setProblem] = useState<string | undefined>(undefined)
  const [isChecked, setChecked] = useState(false)
  const [result, setResult] = useState<Result | undefined>(undefined)

  const generated = generateRequest(name, fields)
  const errors = isChecked && edited === undefined && 'errors' in generated ? generated.errors : {}
  const text = edited ?? ('request' in generated ? formatDocument(generated.request) : '')
  const decider = choices[chosen] ?? choices[0]!

  const change = (changed: Partial<RequestFields>) => {
    setFields({ ...fields, ...changed })
    setEdited(undefined)
  }
  const of = (field: RequestField) => ({
    name: `${prefix}-simulate-${field}`,
    error: errors[field],
    value: fields[field],
    autocomplete: 'off',
    spellcheck: false,
    onInput: (event: Event) => change({ [field]: (event.target as HTMLInputElement).value }),
  })
  const run = async (event: Event) => {
    event.preventDefault()
    setChecked(true)
    setProblem(undefined)
    if (edited === undefined && 'errors' in generated) return
    const parsed = parseParams(text)
    if ('fault' in parsed) return setProblem(parsed.fault.replace('Params', 'The request'))
    setResult({ state: 'running' })
    const { policy } = decider
    try {
      const simulation = { request: parsed.params, action: action.trim() || undefined, policy }
      setResult({ state: 'done', answer: await simulate(simulation), policy })
    } catch (failure) {
      setResult({ state: 'failed', failure })
    }
  }
  return (
    <form class="simulator" onSubmit={(event) => void run(event)} noValidate>
      <p class="note">Nothing is signed, and no sum changes.</p>
      {choices.length > 1 && (
        <Select
          name={`${prefix}-simulate-policy`}
          label="Policy"
          value={String(chosen)}
          choices={choices.map(({ title }, index) => [String(index), title] as const)}
          onChange={(event: Event) => setChosen(Number((event.target as HTMLSelectElement).value))}
        />
      )}
      <Select
        name={`${prefix}-simulate-kind`}
        label="Kind of request"
        value={name}
        choices={REQUESTS.map(({ name: kind, title }) => [kind, title] as const)}
        onChange={(event: Event) => {
          setName((event.target as HTMLSelectElement).value as RequestName)
          setEdited(undefined)
        }}
      />
      {(name === 'tokens' || name === 'coin') && (
        <>
          <div class="field-grid">
            <Field label="Chain ID" inputmode="numeric" {...of('chain')} />
            <Field label="Amount" inputmode="decimal" {...of('amount')} />
            {name === 'tokens' && (
              <Field label="Decimals" inputmode="numeric" {...of('decimals')} />
            )}
          </div>
          {name === 'tokens' && <Field label="Token address" {...of('tokenAddress')} />}
          <Field label="Recipient" {...of('to')} />
        </>
      )}
      {name === 'message' && <Field label="Message" {...of('message')} />}
      <details open={name === 'typed_data'}>
        <summary>Request as JSON</summary>
        <LiveTextArea
          name={`${prefix}-simulate-request`}
          label="Request"
          hint="Edit the request, or paste another one."
          error={problem}
          rows={12}
          value={text}
          onInput={(event: Event) => setEdited((event.target as HTMLTextAreaElement).value)}
        />
      </details>
      <Field
        name={`${prefix}-simulate-action`}
        label="Action CID"
        hint="Optional: the action that requests the signature."
        value={action}
        autocomplete="off"
        spellcheck={false}
        onInput={(event: Event) => setAction((event.target as HTMLInputElement).value)}
      />
      <button class="quiet">Simulate</button>
      <div role="status">{result && <SimulationResult result={result} />}</div>
    </form>
  )
}

const SimulationResult: FC<{ result: Result }> = ({ result }) => {
  if (result.state === 'running') return <p>Simulating…</p>
  if (result.state === 'failed')
    return <p class="problem">Simulation failed. {formatFailure(result.failure)}</p>
  const { answer, policy } = result
  const { decision, rule, code, explanation, sums } = answer
  const isAllowed = decision === 'allow'
  return (
    <div class="verdict">
      <p>
        <Badge tone={isAllowed ? 'good' : 'bad'}>{isAllowed ? 'Allowed' : 'Denied'}</Badge>{' '}
        {rule !== undefined && (
          <>
            Rule <strong>{rule}</strong>
          </>
        )}
        {code !== undefined && (
          <>
            {rule !== undefined && ', '}
            <code>{code}</code>
          </>
        )}
      </p>
      <ul>
        {explanation.map((sentence) => (
          <li key={sentence}>
            <UserText text={sentence} max={TEXT_MAX} />
          </li>
        ))}
      </ul>
      {sums.length > 0 && (
        <>
          <h4>{isAllowed ? 'Sums afterwards' : 'Sums'}</h4>
          <SumBars document={policy.document} sums={isAllowed ? sums : sums.map(withoutAddition)} />
        </>
      )}
    </div>
  )
}

/** Removes the addition, because a denied request adds nothing. */
const withoutAddition = ({ added: _added, ...sum }: SimulatedSignature['sums'][number]) => sum
