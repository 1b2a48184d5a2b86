import type { FC } from 'hono/jsx'
import { UserText } from '../components/user-text.tsx'
import type { FailureMessage } from '../format/describe-failure.ts'

export const ReadFailure: FC<{ failure: FailureMessage; retry: () => void }> = ({
  failure: { message, fix },
  retry,
}) => (
  <div class="problem" role="alert">
    <p>
      Failed to load the transactions. <UserText text={message} /> <UserText text={fix} />
    </p>
    <button type="button" class="quiet" onClick={retry}>
      Try again
    </button>
  </div>
)
