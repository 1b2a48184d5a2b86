import { useState } from 'hono/jsx/dom'
import { type FailureInWords, failureInWords } from '../failure-in-words.ts'
import { onTold, type Progress, tell } from './told.ts'
import { useEffect } from '../use-effect.ts'

type ProgressLineProps = { disconnect: () => void }

export const ProgressLine = ({ disconnect }: ProgressLineProps) => {
  const [progress, setProgress] = useState<Progress | undefined>(undefined)
  useEffect(() => onTold(setProgress), [])
  useEffect(untilNextPress, [])
  const failure = progress?.state === 'failed' ? failureInWords(progress.failure) : undefined
  return (
    <div class="progress">
      <p role="status">{progress && !failure && lineOf(progress)}</p>
      <div role="alert">
        {failure && <Failed what={progress!.what} failure={failure} disconnect={disconnect} />}
      </div>
    </div>
  )
}

/** Clears a completed operation's message at the next click or change of view. */
function untilNextPress(): () => void {
  let latest: Progress | undefined
  const silent = onTold((progress) => {
    latest = progress
  })
  const clear = () => {
    if (latest?.state === 'done') tell(undefined)
  }
  addEventListener('click', clear, true)
  addEventListener('hashchange', clear)
  return () => {
    silent()
    removeEventListener('click', clear, true)
    removeEventListener('hashchange', clear)
  }
}

function lineOf({ what, state, step }: Progress): string {
  if (state === 'done') return `${what}: done.`
  return step ? `${what}: ${step}…` : `${what}…`
}

type FailedProps = { what: string; failure: FailureInWords; disconnect: () => void }

const Failed = ({
  what,
  failure: { message, fix, status, requestId },
  disconnect,
}: FailedProps) => (
  <div class="problem">
    <p>
      <strong>{what}: failed.</strong> <bdi>{message}</bdi> {fix}
    </p>
    {requestId && status !== undefined && status >= 500 && (
      <p class="note">
        Include request ID <code>{requestId}</code> if you report this to the operator.
      </p>
    )}
    <div class="actions">
      {status === 402 && (
        <a class="button" href="#credits">
          Go to credits
        </a>
      )}
      {status === 401 && (
        <button type="button" onClick={disconnect}>
          Connect again
        </button>
      )}
      <button type="button" class="quiet" onClick={() => tell(undefined)}>
        Dismiss
      </button>
    </div>
  </div>
)
