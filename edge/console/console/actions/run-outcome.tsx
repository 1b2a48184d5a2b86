import type { FC } from 'hono/jsx'
import { Copy } from '../../copy.tsx'
import { failureInWords } from '../../failure-in-words.ts'
import { Facts } from '../../parts.tsx'
import { dollars } from '../../dollars.ts'
import { wholeJson } from '../../runs/pretty-json.ts'
import type { Connection } from '../connection.ts'
import type { ActionRun } from './action-runs.ts'
import { ReceiptOf } from './receipt-of.tsx'
import { stackLines } from './stack-lines.ts'
import { UserLines, visibleLines } from './user-lines.tsx'

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
    <Refused failure={failure} />
  )
}

const Succeeded: FC<OutcomeProps> = ({ run: { answer }, connection }) => {
  const { response, logs, duration_ms, charged_cents, receipt } = answer!
  return (
    <>
      <Facts
        facts={[
          ['Duration', milliseconds(duration_ms)],
          ['Charged', dollars(charged_cents)],
        ]}
      />
      <Part title="Response" text={wholeJson(response)} />
      <Logs logs={logs} />
      <ReceiptOf receipt={receipt} connection={connection} />
    </>
  )
}

/** Recognized by its fields instead of its class (see `failureInWords`). */
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
    <Facts
      facts={[
        ['Code', <code>{code}</code>],
        ['Charged', 'nothing: failed runs are free'],
      ]}
    />
    <h4>Error</h4>
    <UserLines text={message} of="Error" />
    {actionStack !== '' && <Stack {...{ stack: actionStack, isSourceShown, goTo }} />}
    <Logs logs={logs} />
    {receipt !== undefined && <ReceiptOf receipt={receipt} connection={connection} />}
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
          <code>{visibleLines(text)}</code>
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
      <Copy text={text} of={`the ${title.toLowerCase()}`} />
    </div>
    <UserLines text={text} of={title} />
  </section>
)

/** Shows why an action did not run, or why its outcome is unknown. */
const Refused: FC<{ failure: unknown }> = ({ failure }) => {
  const { message, fix, status, requestId } = failureInWords(failure)
  return (
    <div class="problem">
      <p>
        <strong>No result.</strong> <bdi>{visibleLines(message)}</bdi> {fix}
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
