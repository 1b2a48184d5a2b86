import type { FC } from 'hono/jsx'
import { useState } from 'preact/hooks'
import { CopyButton } from '../../components/copy-button.tsx'
import { describeFailure } from '../../format/describe-failure.ts'
import { FactList } from '../../components/elements.tsx'
import { formatUsd } from '../../../../shared/usd.ts'
import { escapeLinesAndCr } from '../../format/values.ts'
import { indentedJson } from '../../runs/pretty-json.ts'
import type { Connection } from '../connection.ts'
import type { ActionRun } from './action-runs.ts'
import { ReceiptDetails } from './receipt-details.tsx'
import { stackLines } from './stack-lines.ts'

type OutcomeProps = {
  run: ActionRun
  connection: Connection
  /** True if line numbers in the stack trace refer to the source in the editor. */
  isSourceShown: boolean
  goTo: (line: number, column: number) => void
}

export const RunOutcome: FC<OutcomeProps> = (props) => {
  const { answer, failure } = props.run
  if (answer) return <Succeeded {...props} />
  if (failure === undefined) return null
  return isActionFailure(failure) ? (
    <Failed {...props} failure={failure} />
  ) : (
    <NoResult failure={failure} />
  )
}

const Succeeded: FC<OutcomeProps> = ({ run: { answer }, connection }) => {
  const { response, logs, duration_ms, charged_cents, receipt } = answer!
  return (
    <>
      <FactList
        facts={[
          ['Duration', milliseconds(duration_ms)],
          ['Charged', formatUsd(charged_cents)],
        ]}
      />
      <Part title="Response" text={indentedJson(response)} />
      <Logs logs={logs} />
      <ReceiptDetails receipt={receipt} connection={connection} />
    </>
  )
}

/** Error of an action that has failed. It is recognized by its fields instead of its class (see `describeFailure`). */
type ActionFailure = Error & { code: string; actionStack: string; logs: string; receipt?: string }
export const isActionFailure = (failure: unknown): failure is ActionFailure =>
  failure instanceof Error && 'actionStack' in failure && 'logs' in failure

const Failed: FC<OutcomeProps & { failure: ActionFailure }> = ({
  failure: { message, code, actionStack, logs, receipt },
  connection,
  isSourceShown,
  goTo,
}) => (
  <>
    <FactList
      facts={[
        ['Code', <code>{code}</code>],
        ['Charged', 'nothing: failed runs are free'],
      ]}
    />
    <h4>Error</h4>
    <UserLines text={message} of="Error" />
    {actionStack !== '' && <Stack {...{ stack: actionStack, isSourceShown, goTo }} />}
    <Logs logs={logs} />
    {receipt !== undefined && <ReceiptDetails receipt={receipt} connection={connection} />}
  </>
)

type StackProps = Pick<OutcomeProps, 'isSourceShown' | 'goTo'> & { stack: string }

const Stack: FC<StackProps> = ({ stack, isSourceShown, goTo }) => (
  <>
    <h4>Stack</h4>
    {!isSourceShown && <p class="note">The source has changed since this run.</p>}
    <ol class="stack">
      {stackLines(stack).map(({ text, place }) => (
        <li>
          <code>{escapeLinesAndCr(text)}</code>
          {place && isSourceShown && (
            <button
              type="button"
              class="quiet small"
              onClick={() => goTo(place.line, place.column)}
            >
              Line {place.line}
            </button>
          )}
        </li>
      ))}
    </ol>
  </>
)

const Logs: FC<{ logs: string }> = ({ logs }) =>
  logs === '' ? <p class="note">No console output.</p> : <Part title="Console" text={logs} />

const Part: FC<{ title: string; text: string }> = ({ title, text }) => (
  <section>
    <div class="part-head">
      <h4>{title}</h4>
      <CopyButton text={text} of={`the ${title.toLowerCase()}`} />
    </div>
    <UserLines text={text} of={title} />
  </section>
)

const NoResult: FC<{ failure: unknown }> = ({ failure }) => {
  const { message, fix, status, requestId } = describeFailure(failure)
  return (
    <div class="problem">
      <p>
        <strong>No result.</strong> <bdi>{escapeLinesAndCr(message)}</bdi> {fix}
      </p>
      {status === 402 && (
        <p>
          <a href="#credits">Add funds</a>
        </p>
      )}
      {requestId !== undefined && (
        <p class="note">
          Request ID: <code>{requestId}</code>
        </p>
      )}
    </div>
  )
}

const milliseconds = (ms: number) =>
  ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(2)} s`

/**
 * Maximum number of characters that are shown initially, which browsers lay out without a noticeable delay. A button
 * shows the rest.
 */
const SHOWN_CHARACTERS = 20_000

/** @param of description of the text for screen readers, such as "Console output" */
const UserLines: FC<{ text: string; of: string }> = ({ text, of }) => {
  const [isWhole, setWhole] = useState(false)
  const isCut = !isWhole && text.length > SHOWN_CHARACTERS
  return (
    <>
      <pre class="lines" role="region" aria-label={of} tabindex={0} dir="ltr">
        {escapeLinesAndCr(isCut ? text.slice(0, SHOWN_CHARACTERS) : text)}
      </pre>
      {isCut && (
        <p>
          <button type="button" class="quiet small" onClick={() => setWhole(true)}>
            Show all {text.length.toLocaleString('en')} characters
          </button>
        </p>
      )}
    </>
  )
}
