import { useRef, useState } from 'preact/hooks'
import type { FC } from 'hono/jsx'
import { Badge } from '../../components/elements.tsx'
import { Choice } from '../../components/form-fields.tsx'
import { formatFailure } from '../../format/describe-failure.ts'
import type { Connection } from '../connection.ts'
import { createKeyClient, type Origin } from '../connect-key.ts'
import { useChanges } from '../listeners.ts'
import { type ActionRun, type ActionRunner, actionRunsOf } from './action-runs.ts'
import { parseParams } from './parse-params.ts'
import { isActionFailure, RunOutcome } from './run-outcome.tsx'

type RunCardProps = {
  connection: Connection
  origin: Origin
  source: string
  params: string
  onParams: (params: string) => void
  goTo: (line: number, column: number) => void
}

type InvalidInput = { field: 'params' | 'key'; why: string; offset?: number }

export const RunCard = ({ connection, origin, source, params, onParams, goTo }: RunCardProps) => {
  const runs = actionRunsOf(connection)
  useChanges(runs.changes)
  const [byOther, setByOther] = useState(connection.by === 'wallet')
  const [refused, setRefused] = useState<InvalidInput | undefined>(undefined)
  const area = useRef<HTMLTextAreaElement>(null)
  const otherKey = useRef<HTMLInputElement>(null)
  const [latest, ...earlier] = runs.all

  const run = () => {
    const read = parseParams(params)
    if ('fault' in read) {
      setRefused({
        field: 'params',
        why: read.fault,
        ...(read.place && { offset: read.place.offset }),
      })
      area.current?.focus()
      return
    }
    const by = byOther
      ? createRunner(otherKey.current?.value.trim() ?? '', origin)
      : connection.client
    if (typeof by === 'string') {
      setRefused({ field: 'key', why: by })
      otherKey.current?.focus()
      return
    }
    setRefused(undefined)
    runs.start(by, source, read.params)
  }

  return (
    <section class="card" aria-labelledby="run-heading">
      <h3 id="run-heading">Run</h3>
      <div class="field">
        <label for="action-params">Params</label>
        <p class="hint" id="action-params-hint">
          The JSON object passed to <code>main</code>.
        </p>
        <textarea
          id="action-params"
          rows={5}
          spellcheck={false}
          ref={area}
          aria-describedby="action-params-hint action-params-error"
          {...(refused?.field === 'params' && { 'aria-invalid': 'true' as const })}
          onInput={(event) => onParams((event.target as HTMLTextAreaElement).value)}
          value={params}
        />
        <p class="error" id="action-params-error" role="alert">
          {refused?.field === 'params' && refused.why}
        </p>
        {refused?.field === 'params' && refused.offset !== undefined && (
          <button
            type="button"
            class="quiet small"
            onClick={() => {
              area.current?.focus()
              area.current?.setSelectionRange(refused.offset!, refused.offset! + 1)
            }}
          >
            Show position
          </button>
        )}
      </div>
      <KeyChoice {...{ connection, byOther, setByOther, otherKey }}>
        {refused?.field === 'key' && refused.why}
      </KeyChoice>
      <div class="actions">
        <button type="button" disabled={latest?.state === 'in progress'} onClick={run}>
          Run
        </button>
        {latest?.state === 'in progress' && (
          <button type="button" class="quiet" onClick={() => runs.stopWaiting(latest.number)}>
            Stop waiting
          </button>
        )}
        {latest?.state === 'detached' && (
          <button type="button" class="quiet" onClick={() => runs.waitAgain(latest.number)}>
            Resume waiting
          </button>
        )}
      </div>
      <p class="note">A successful run costs 1 cent per started second; a failed run is free.</p>
      <div class="result">
        <p role="status">{latest && <RunState run={latest} />}</p>
        {latest && (
          <RunOutcome
            key={`run-${latest.number}`}
            {...{ connection, goTo }}
            run={latest}
            isSourceShown={latest.source === source}
          />
        )}
      </div>
      {earlier.length > 0 && <EarlierRuns runs={earlier} {...{ connection, source, goTo }} />}
    </section>
  )
}

const RunState: FC<{ run: ActionRun }> = ({ run: { number, state, answer, failure } }) => {
  if (state === 'in progress')
    return <>Run {number} is in progress. You can switch to other views in the meantime.</>
  if (state === 'detached')
    return <>Run {number} continues in the background; this page is no longer waiting for it.</>
  if (answer)
    return (
      <>
        Run {number} <Badge tone="good">succeeded</Badge>
      </>
    )
  return (
    <>
      Run {number} <Badge tone="bad">{isActionFailure(failure) ? 'failed' : 'no result'}</Badge>
    </>
  )
}

type KeyChoiceProps = {
  connection: Connection
  byOther: boolean
  setByOther: (byOther: boolean) => void
  otherKey: { current: HTMLInputElement | null }
}

/** An admin wallet cannot run actions itself, so a usage key must authorize the run. */
const KeyChoice: FC<KeyChoiceProps & { children?: string | false }> = ({
  connection,
  byOther,
  setByOther,
  otherKey,
  children: error,
}) => (
  <>
    {connection.by === 'key' && (
      <fieldset>
        <legend>Run with</legend>
        <Choice name="run-by" checked={!byOther} onChange={() => setByOther(false)}>
          The key that this console is connected with
        </Choice>
        <Choice name="run-by" checked={byOther} onChange={() => setByOther(true)}>
          A usage key, to test its permissions
        </Choice>
      </fieldset>
    )}
    {byOther && (
      <div class="field">
        <label for="run-key">Usage key</label>
        <p class="hint" id="run-key-hint">
          It stays in this field and is sent only to the core API.
          {connection.by === 'wallet' &&
            ' An admin wallet runs actions with a usage key: create one under Usage keys.'}
        </p>
        <input
          id="run-key"
          type="password"
          autocomplete="new-password"
          ref={otherKey}
          aria-describedby="run-key-hint run-key-error"
          {...(error && { 'aria-invalid': 'true' as const })}
        />
        <p class="error" id="run-key-error" role="alert">
          {error}
        </p>
      </div>
    )}
  </>
)

function createRunner(usageKey: string, origin: Origin): ActionRunner | string {
  if (usageKey === '') return 'Paste the usage key to run the action with.'
  try {
    return createKeyClient(usageKey, origin)
  } catch (failure) {
    return formatFailure(failure)
  }
}

type EarlierRunsProps = Pick<RunCardProps, 'connection' | 'source' | 'goTo'> & {
  runs: readonly ActionRun[]
}

const EarlierRuns: FC<EarlierRunsProps> = ({ runs, connection, source, goTo }) => (
  <details>
    <summary>Earlier runs in this tab ({runs.length})</summary>
    {runs.map((run) => (
      <section key={`earlier-${run.number}`}>
        <h4>
          <RunState run={run} />
        </h4>
        <RunOutcome {...{ run, connection, goTo }} isSourceShown={run.source === source} />
      </section>
    ))}
  </details>
)
