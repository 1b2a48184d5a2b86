import { useEffect, useState } from 'preact/hooks'
import { type FailureMessage, describeFailure } from '../format/describe-failure.ts'
import { type Progress, progressListeners, reportProgress } from './progress.ts'

export const ProgressLine = ({ disconnect }: { disconnect: () => void }) => {
  const [progress, setProgress] = useState<Progress | undefined>(undefined)
  useEffect(() => progressListeners.add(setProgress), [])
  useEffect(clearOnNextClick, [])
  const failure = progress?.state === 'failed' ? describeFailure(progress.failure) : undefined
  return (
    <div class="progress">
      <p role="status">{progress && !failure && progressText(progress)}</p>
      <div role="alert">
        {failure && <Failed what={progress!.what} failure={failure} disconnect={disconnect} />}
      </div>
    </div>
  )
}

/** Clears the message of a completed operation at the next click or change of view. */
function clearOnNextClick(): () => void {
  let latest: Progress | undefined
  const unsubscribe = progressListeners.add((progress) => {
    latest = progress
  })
  const clear = () => {
    if (latest?.state === 'done') reportProgress(undefined)
  }
  addEventListener('click', clear, true)
  addEventListener('hashchange', clear)
  return () => {
    unsubscribe()
    removeEventListener('click', clear, true)
    removeEventListener('hashchange', clear)
  }
}

function progressText({ what, state, step }: Progress): string {
  if (state === 'done') return `${what}: done.`
  return step ? `${what}: ${step}…` : `${what}…`
}

type FailedProps = { what: string; failure: FailureMessage; disconnect: () => void }

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
      <button type="button" class="quiet" onClick={() => reportProgress(undefined)}>
        Dismiss
      </button>
    </div>
  </div>
)
